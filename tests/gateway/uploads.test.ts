import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import http from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startProcess, type StartedProcess } from '../support/process.ts';
import { startOtherGraph, type OtherGraph } from '../support/other-graph.ts';

let graph: OtherGraph;
let received: { bytes: number; digest: string; brokenOff: boolean }[] = [];
/** Called if a request to the service is broken off. */
let onBrokenOff: (() => void) | undefined;

beforeAll(async () => {
  graph = await startOtherGraph({
    files: {
      typeDefs: `extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])
        scalar Upload
        input Attachment { title: String, files: [Upload!]! }
        type Query { nothing: Int }
        type Mutation { keep(file: Upload!): Int, attach(attachment: Attachment!): Int }`,
    },
  });
  // The service counts the bytes without storing them, so that only the gateway's memory can grow.
  graph.subgraph('files').instead = (req, res) => {
    const hash = createHash('sha256');
    let bytes = 0;
    req.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      hash.update(chunk);
    });
    req.on('close', () => {
      received.push({ bytes, digest: hash.digest('hex'), brokenOff: !req.complete });
      if (!req.complete) onBrokenOff?.();
    });
    req.on('end', () => res.end(JSON.stringify({ data: { keep: bytes, attach: bytes } })));
    req.on('error', () => undefined);
  };
});
afterAll(() => graph.stop());

const MIB = 1024 * 1024;
const OPERATION = JSON.stringify({
  query: 'mutation ($file: Upload!) { keep(file: $file) }',
  variables: { file: null },
});

/** Sends a multipart request with a file of `mebibytes`, which is made while it is sent. The client leaves after `stopAfter` MiB. */
function upload(
  mebibytes: number,
  {
    headers = {},
    stopAfter = Infinity,
    url = graph.url,
  }: { headers?: Record<string, string>; stopAfter?: number; url?: string } = {},
): Promise<{ status: number; body: { data?: unknown; errors?: unknown } }> {
  return new Promise((resolve, reject) => {
    const boundary = 'x-boundary';
    const req = http.request(
      `${url}/graphql`,
      {
        method: 'POST',
        headers: {
          'content-type': `multipart/form-data; boundary=${boundary}`,
          'apollo-require-preflight': 'true',
          ...headers,
        },
      },
      (res) => {
        let text = '';
        res.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        res.on('end', () => resolve({ status: res.statusCode ?? 0, body: JSON.parse(text) }));
      },
    );
    req.on('error', reject);
    const part = (name: string, further = '') =>
      `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${further}\r\n\r\n`;
    req.write(`${part('operations')}${OPERATION}\r\n${part('map')}{"0":["variables.file"]}\r\n`);
    req.write(part('0', '; filename="big \\"one\\".bin"'));
    const chunk = Buffer.alloc(MIB, 7);
    let sent = 0;
    const more = (): void => {
      while (sent < mebibytes) {
        if (sent >= stopAfter) return void req.destroy();
        sent += 1;
        if (!req.write(chunk)) return void req.once('drain', more);
      }
      req.end(`\r\n--${boundary}--\r\n`);
    };
    more();
  });
}

describe('uploads through the graph', () => {
  it('forward lists of files inside inputs, and file names with quotes', async () => {
    const form = new FormData();
    form.set(
      'operations',
      JSON.stringify({
        query: 'mutation ($attachment: Attachment!) { attach(attachment: $attachment) }',
        variables: { attachment: { title: 'Two', files: [null, null] } },
      }),
    );
    form.set('map', '{"a":["variables.attachment.files.0"],"b":["variables.attachment.files.1"]}');
    form.set('a', new Blob(['first']), 'a.txt');
    form.set('b', new Blob(['second']), 'b.txt');
    const seen = graph.subgraph('files').instead;
    let text = '';
    graph.subgraph('files').instead = (req, res) => {
      req.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      req.on('end', () => res.end('{"data":{"attach":2}}'));
    };
    const response = await fetch(`${graph.url}/graphql`, {
      method: 'POST',
      headers: { 'apollo-require-preflight': 'true' },
      body: form,
    });
    graph.subgraph('files').instead = seen;
    expect(await response.json()).toEqual({ data: { attach: 2 } });
    expect(text).toContain('{"0":["variables.attachment.files.0"],"1":["variables.attachment.files.1"]}');
    expect(text).toMatch(/filename="a\.txt"[\s\S]*first[\s\S]*filename="b\.txt"[\s\S]*second/);
  });

  it.each([
    ['without the header that a form cannot set', 1, { 'apollo-require-preflight': '' }, 400],
    ['with a Content-Length that is too large', 1, { 'content-length': String(500 * MIB) }, 413],
  ])('are refused %s', async (_what, mebibytes, headers, status) => {
    received = [];
    expect(await upload(mebibytes, { headers })).toMatchObject({ status });
    expect(received).toEqual([]);
  });

  it('are refused with an answer that a client can read after it has sent more of its body', async () => {
    const { hostname, port } = new URL(graph.url);
    const socket = connect(Number(port), hostname)
      .pause()
      .on('error', () => undefined);
    await once(socket, 'connect');
    const closed = once(socket, 'close').then(() => ['no answer']);
    socket.write(
      `POST /graphql HTTP/1.1\r\nHost: ${hostname}\r\nApollo-Require-Preflight: true\r\n` +
        `Content-Type: multipart/form-data; boundary=x\r\nContent-Length: ${500 * MIB}\r\n\r\n`,
    );
    // The gateway answers half a second after the beginning.
    for (let sent = 0; sent < 15; sent += 1) {
      socket.write(Buffer.alloc(65_536));
      await sleep(100);
    }
    const [answer] = (await Promise.race([once(socket.resume(), 'data'), closed])) as [Buffer | string];
    expect(String(answer)).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  it('report that a file is missing', async () => {
    const form = new FormData();
    form.set('operations', OPERATION);
    form.set('map', '{"0":["variables.file"]}');
    const response = await fetch(`${graph.url}/graphql`, {
      method: 'POST',
      headers: { 'apollo-require-preflight': 'true' },
      body: form,
    });
    expect(await response.json()).toMatchObject({
      data: { keep: null },
      errors: [{ extensions: { code: 'VALIDATION_FAILED' } }],
    });
  });

  it.each([
    ['no operations', { map: '{}' }],
    ['operations that are no JSON', { operations: '{', map: '{}' }],
    ['a map that names no variable', { operations: OPERATION, map: '{"0":["variables.nothing.here"]}' }],
  ])('with %s are answered with 400', async (_what, fields) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    const response = await fetch(`${graph.url}/graphql`, {
      method: 'POST',
      headers: { 'apollo-require-preflight': 'true' },
      body: form,
    });
    const body = (await response.json()) as { errors: { extensions: { code: string } }[] };
    expect(response.status).toBe(400);
    expect(body.errors[0]?.extensions.code).toBe('VALIDATION_FAILED');
  });
});

describe('uploads through a gateway in a process of its own', () => {
  let gateway: StartedProcess;
  let url = '';
  beforeAll(async () => {
    gateway = startProcess(['gateway', '--supergraph', graph.supergraphFile, '--port', '0'], {
      HOST: '127.0.0.1',
      DATA_DIR: graph.dataDir,
      TMPDIR: graph.dataDir, // so that no other process has temporary files there
      DEMO: 'on',
      LOG_LEVEL: 'warn',
      RATE_LIMITS: 'off',
    });
    url = (await gateway.printed(/ready: (http:\S+)/))[1] ?? '';
    await upload(1, { url });
  });
  afterAll(() => gateway.end());

  const hasTemporaryFile = (): boolean =>
    readdirSync(graph.dataDir).some((name) => name.startsWith('capacitor-'));
  /** Temporary files are removed when the request closes, which may be a moment after the answer. */
  const temporaryFilesAreRemoved = async (): Promise<void> => {
    while (hasTemporaryFile()) await new Promise(setImmediate);
  };

  it('leave no temporary file if the client disconnects before the end', async () => {
    received = [];
    const closed = new Promise<void>((resolve) => {
      onBrokenOff = resolve;
    });
    await expect(upload(50, { url, stopAfter: 20 })).rejects.toThrow('socket hang up');
    await closed;
    expect(received).toMatchObject([{ brokenOff: true }]);
    await temporaryFilesAreRemoved();
    // The service did not fail, so it gets the next request at once.
    expect((await upload(1, { url })).status).toBe(200);
  });

  (existsSync('/proc/self/status') ? describe : describe.skip)('(skipped without /proc)', () => {
    it('are streamed: a file of 100 MiB needs less than 100 MiB more memory', async () => {
      received = [];
      const before = residentMebibytes(gateway);
      let most = before;
      let wentThroughFile = false;
      const watching = setInterval(() => {
        most = Math.max(most, residentMebibytes(gateway));
        wentThroughFile ||= hasTemporaryFile();
      }, 10);
      const { status, body } = await upload(100, { url });
      clearInterval(watching);
      expect({ status, errors: body.errors }).toEqual({ status: 200, errors: undefined });
      expect(received[0]?.bytes).toBeGreaterThan(100 * MIB);
      expect(most - before).toBeLessThan(100);
      expect(wentThroughFile).toBe(true);
      await temporaryFilesAreRemoved();
      if (process.env.SHOW_FIGURES) console.log(`100 MiB: ${Math.round(most - before)} MiB more`);
    });
  });
});

const residentMebibytes = ({ child }: StartedProcess): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024;
