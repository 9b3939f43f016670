import { mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '#server/observability/logger.ts';
import { composedSupergraph } from '../../gateway/supergraph/composed-source.ts';
import { supergraphFile } from '../../gateway/supergraph/file-source.ts';
import type { SupergraphSource } from '../../gateway/supergraph/supergraph-source.ts';

const log = createLogger('gateway', 'silent');
let folder: string;
let source: SupergraphSource | undefined;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'supergraph-test-'));
});
afterEach(() => source?.stop());
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The SDLs that the source offers. `next` resolves to the next one. `onOffer` gets each SDL, and refuses it if it throws. */
function offersOf(from: SupergraphSource, onOffer: (sdl: string) => void = () => undefined) {
  const waiting: ((sdl: string) => void)[] = [];
  const offered: string[] = [];
  from.onChange((sdl) => {
    const next = waiting.shift();
    if (next) next(sdl);
    else offered.push(sdl);
    onOffer(sdl);
  });
  return {
    next: () => {
      const sdl = offered.shift();
      return sdl === undefined
        ? new Promise<string>((resolve) => waiting.push(resolve))
        : Promise.resolve(sdl);
    },
  };
}
const replace = async (file: string, text: string) => {
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
};

describe('a supergraph file', () => {
  it('is read again after it was written, replaced by another file or by a link, or deleted and written', async () => {
    const file = path.join(folder, 'written.graphql');
    await writeFile(file, 'one');
    source = await supergraphFile(file, { log, settleMillis: 5 });
    const changes = offersOf(source);
    expect(source.current).toBe('one');
    await writeFile(file, 'two');
    expect(await changes.next()).toBe('two');
    await replace(file, 'three');
    expect(await changes.next()).toBe('three');
    await writeFile(path.join(folder, 'elsewhere'), 'four');
    await symlink(path.join(folder, 'elsewhere'), `${file}.link`);
    await rename(`${file}.link`, file);
    expect(await changes.next()).toBe('four');
    await rm(file);
    await writeFile(file, 'five');
    expect(await changes.next()).toBe('five');
  });

  it('is checked on SIGHUP, and periodically without any event', async () => {
    const file = path.join(folder, 'polled.graphql');
    // A link to a file in a folder that is not watched: a change of its content makes no event in the watched folder.
    const distant = await mkdtemp(path.join(os.tmpdir(), 'supergraph-test-'));
    await writeFile(path.join(distant, 'sdl'), 'one');
    await symlink(path.join(distant, 'sdl'), file);
    source = await supergraphFile(file, { log, settleMillis: 5, pollMillis: 20 });
    const changes = offersOf(source);
    await writeFile(path.join(distant, 'sdl'), 'two');
    expect(await changes.next()).toBe('two');
    source.stop();
    process.stdin.isTTY = false; // as for a server, even if the tests run in a terminal
    source = await supergraphFile(file, { log, settleMillis: 5 });
    const later = offersOf(source);
    await writeFile(path.join(distant, 'sdl'), 'three');
    process.emit('SIGHUP');
    expect(await later.next()).toBe('three');
    await rm(distant, { recursive: true });
  });

  it('does not become the current one if its listener refuses it; of several changes the last one counts', async () => {
    const file = path.join(folder, 'refused.graphql');
    await writeFile(file, 'good');
    source = await supergraphFile(file, { log, settleMillis: 5 });
    const changes = offersOf(source, (sdl) => {
      if (sdl === 'bad') throw new Error('not a supergraph');
    });
    await replace(file, 'bad');
    expect(await changes.next()).toBe('bad');
    expect(source.current).toBe('good');
    for (let number = 0; number <= 20; number += 1) await replace(file, `number ${number}`);
    for (;;) if ((await changes.next()) === 'number 20') break;
    await new Promise(setImmediate);
    expect(source.current).toBe('number 20');
  });

  it('makes the start fail with its name if it does not exist', async () => {
    await expect(supergraphFile(path.join(folder, 'missing'), { log })).rejects.toThrow(
      /missing cannot be read/,
    );
  });
});

describe('a composed supergraph', () => {
  it('follows the SDL of the running subgraphs, and stays while one of them is down', async () => {
    let field = 'one';
    const subgraph: Server = createServer((_req, res) => {
      const sdl = `type Query { ${field}: Int }`;
      res.end(JSON.stringify({ data: { _service: { sdl } } }));
    });
    await new Promise<void>((resolve) => subgraph.listen(0, '127.0.0.1', resolve));
    const { port } = subgraph.address() as AddressInfo;
    source = composedSupergraph({
      first: 'committed',
      subgraphs: { numbers: `http://127.0.0.1:${port}/graphql` },
      pollMillis: 20,
      log,
    });
    const changes = offersOf(source);
    expect(source.current).toBe('committed');
    expect(await changes.next()).toContain('one: Int');
    field = 'broken {';
    await new Promise((resolve) => subgraph.once('request', (_req, res) => res.once('close', resolve)));
    field = 'two';
    expect(await changes.next()).toContain('two: Int');
    subgraph.closeAllConnections();
    await new Promise((resolve) => subgraph.close(resolve));
    expect(source.current).toContain('two: Int');
  });

  it('is read once more, however often SIGHUP arrives during a read', async () => {
    let requests = 0;
    let arrived = Promise.withResolvers<() => void>();
    const subgraph: Server = createServer((_req, res) => {
      requests += 1;
      arrived.resolve(() => res.end('{"data":{"_service":{"sdl":"type Query { one: Int }"}}}'));
      arrived = Promise.withResolvers();
    });
    await new Promise<void>((resolve) => subgraph.listen(0, '127.0.0.1', resolve));
    const { port } = subgraph.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/graphql`;
    source = composedSupergraph({ first: 'committed', subgraphs: { numbers: url }, pollMillis: 60_000, log });
    const changes = offersOf(source);
    const answer = await arrived.promise;
    for (let signal = 0; signal < 3; signal += 1) process.emit('SIGHUP');
    const again = arrived.promise;
    answer();
    (await again)();
    expect(await changes.next()).toContain('one: Int');
    await setTimeout(100); // a further read would have begun at once
    expect(requests).toBe(2);
    subgraph.closeAllConnections();
    await new Promise((resolve) => subgraph.close(resolve));
  });
});
