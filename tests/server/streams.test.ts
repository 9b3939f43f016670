import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Readable, Transform, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { begun, feed, streamOf } from '#server/streams.ts';

const upperCase = () =>
  new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(null, chunk.toString().toUpperCase()),
  });

async function* rows(count: number, failure?: Error) {
  for (let row = 0; row < count; row += 1) yield `row ${row}\n`;
  if (failure) throw failure;
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('a stream that fails', () => {
  const uncaught: unknown[] = [];
  const remember = (error: unknown): void => void uncaught.push(error);
  beforeEach(() => {
    uncaught.length = 0;
    process.on('uncaughtException', remember);
  });
  afterEach(() => {
    process.off('uncaughtException', remember);
    if (uncaught.length > 0) throw new Error('an error had no listener', { cause: uncaught[0] });
  });

  it('passes its error to its reader, through all stages', async () => {
    const stream = streamOf(rows(3, new Error('the query failed')), [upperCase(), new PassThrough()]);
    await expect(text(stream)).rejects.toThrow('the query failed');
  });

  it('does not end the process if it has no reader', async () => {
    const stream = streamOf(rows(0, new Error('the query failed')), [upperCase()]);
    stream.resume();
    await nextTurn();
    await nextTurn();
    expect(stream.destroyed).toBe(true);
  });

  it('is detected before its first byte is sent', async () => {
    await expect(begun(streamOf(rows(0, new Error('the query failed')), [upperCase()]))).rejects.toThrow(
      'the query failed',
    );
    const good = streamOf(rows(2), [upperCase()]);
    await begun(good);
    expect(await text(good)).toBe('ROW 0\nROW 1\n');
    await begun(streamOf([]));
  });

  it('ends only its own answer', async () => {
    const server = http.createServer((_req, res) => {
      void pipeline(streamOf(rows(100, new Error('the query failed')), [upperCase()]), res).catch(
        () => undefined,
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const get = async () => (await fetch(`http://127.0.0.1:${port}/`)).text();
    await expect(get()).rejects.toThrow('terminated');
    await expect(get()).rejects.toThrow('terminated');
    server.close();
  });
});

describe('a body that is fed to a parser', () => {
  it('reaches the parser completely', async () => {
    const parser = new PassThrough();
    feed(Readable.from(['a', 'b']), parser);
    expect(await text(parser)).toBe('ab');
  });

  it('is read to its end if the parser fails, so that the client reads the answer', async () => {
    const body = Readable.from(Array.from({ length: 100 }, () => Buffer.alloc(1_000)));
    const parser = new Writable({ write: (_chunk, _encoding, done) => done(new Error('not well-formed')) });
    const failed = new Promise((resolve) => parser.once('error', resolve));
    const stop = feed(body, parser);
    expect(await failed).toEqual(new Error('not well-formed'));
    stop();
    await new Promise((resolve) => body.once('end', resolve));
    expect(body.destroyed || body.readableEnded).toBe(true);
  });

  it('makes the parser fail if the body is interrupted', async () => {
    const body = new PassThrough();
    const parser = new PassThrough();
    feed(body, parser);
    body.write('half');
    body.destroy(new Error('connection reset'));
    await expect(text(parser)).rejects.toThrow('connection reset');
  });
});
