import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startOtherGraph, type OtherGraph } from '../support/other-graph.ts';
import { withinOnThisMachine } from '../support/slow-machine.ts';

const mutationMillis = withinOnThisMachine(250);
/** The gateway's time limit of an upload. */
const uploadMillis = mutationMillis * 6;
const FILE_BYTES = 4_000_000;
const BOUNDARY = 'x-boundary';
const part = (name: string, further = '') =>
  `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${further}\r\n\r\n`;
const START = `${part('operations')}${JSON.stringify({
  query: 'mutation ($file: Upload!) { keep(file: $file) }',
  variables: { file: null },
})}\r\n${part('map')}{"0":["variables.file"]}\r\n${part('0', '; filename="a.bin"')}`;
const END = `\r\n--${BOUNDARY}--\r\n`;

let graph: OtherGraph;
beforeAll(async () => {
  graph = await startOtherGraph(
    {
      files: {
        typeDefs: `scalar Upload
          type Query { nothing: Int }
          type Mutation { keep(file: Upload!): Int }`,
      },
    },
    { SUBGRAPH_MUTATION_TIMEOUT_MILLIS: String(mutationMillis) },
  );
  reads();
});
afterAll(() => graph.stop());

/** From now on, the service reads every request, and answers at its end. */
const reads = (): void => {
  graph.subgraph('files').instead = (req, res) => {
    req.on('error', () => undefined).resume();
    req.on('end', () => res.end('{"data":{"keep":1,"nothing":1}}'));
  };
};

/** Begins an upload, of which half of the file is sent after this. */
async function begun(): Promise<Socket> {
  const { hostname, port } = new URL(graph.url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(
    `POST /graphql HTTP/1.1\r\nHost: ${hostname}\r\nApollo-Require-Preflight: true\r\n` +
      `Content-Type: multipart/form-data; boundary=${BOUNDARY}\r\n` +
      `Content-Length: ${START.length + FILE_BYTES + END.length}\r\n\r\n${START}`,
  );
  return socket;
}

/** The first response on the connection, whose bodies are small. */
async function responseOn(socket: Socket): Promise<{ status: number; body: string }> {
  let text = '';
  for await (const chunk of socket) {
    text += String(chunk);
    const [head = '', body = ''] = text.split('\r\n\r\n');
    if (body.length < Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? Infinity)) continue;
    return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]), body };
  }
  return { status: 0, body: '' };
}

const outcomes = async (): Promise<string[]> =>
  [...(await graph.metrics()).matchAll(/^subgraph_requests_total\{.*outcome="(\w+)".*\} [1-9]/gm)].map(
    ([, outcome = '']) => outcome,
  );

it('a client that pauses in its file for too long gets REQUEST_TIMEOUT, and the service is not blamed', async () => {
  const socket = await begun();
  socket.write(Buffer.alloc(FILE_BYTES / 2));
  await wait(uploadMillis * 1.5);
  socket.write(Buffer.alloc(FILE_BYTES / 2));
  socket.write(END);
  const { status, body } = await responseOn(socket);
  socket.destroy();
  expect({ status, body: JSON.parse(body) }).toMatchObject({
    status: 200,
    body: { data: { keep: null }, errors: [{ extensions: { code: 'REQUEST_TIMEOUT' } }] },
  });
  expect(await outcomes()).toEqual(['aborted']);
});

it('a client whose file is too slow for the service, which answers 408, gets REQUEST_TIMEOUT', async () => {
  graph.subgraph('files').instead = (req, res) => {
    req.on('error', () => undefined);
    req.once('data', () => {
      req.resume();
      res.writeHead(408, { 'content-type': 'application/problem+json' });
      res.end('{"code":"REQUEST_TIMEOUT"}');
    });
  };
  const socket = await begun();
  const { body } = await responseOn(socket);
  socket.destroy();
  reads();
  expect(JSON.parse(body)).toMatchObject({ errors: [{ extensions: { code: 'REQUEST_TIMEOUT' } }] });
});

it('a client that stops in the middle of its file is answered', async () => {
  const socket = await begun();
  await wait(1_500); // so that the connection is fast enough on average: otherwise the server refuses it for that reason
  socket.write(Buffer.alloc(FILE_BYTES / 2));
  const { body } = await responseOn(socket);
  socket.destroy();
  expect(JSON.parse(body)).toMatchObject({ errors: [{ extensions: { code: 'REQUEST_TIMEOUT' } }] });
});

it('a service that stops reading an upload gets the blame: UPSTREAM_TIMEOUT', async () => {
  graph.subgraph('files').instead = (req) => void req.on('error', () => undefined).pause();
  const socket = await begun();
  socket.write(Buffer.alloc(FILE_BYTES));
  socket.write(END);
  const { body } = await responseOn(socket);
  socket.destroy();
  reads();
  expect(JSON.parse(body)).toMatchObject({ errors: [{ extensions: { code: 'UPSTREAM_TIMEOUT' } }] });
});
