import http from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import type { GatewayContext } from '../../gateway/context/gateway-context.ts';
import { WaitingClient } from '../../gateway/context/waiting-client.ts';
import { HttpSubgraph } from '../../gateway/subgraphs/http-subgraph.ts';
import { startOtherGraph, type OtherGraph } from '../support/other-graph.ts';

const service = http.createServer();
let graph: OtherGraph;
beforeAll(async () => {
  service.listen(0, '127.0.0.1');
  await once(service, 'listening');
  graph = await startOtherGraph(
    {
      things: {
        typeDefs: 'type Query { slow: Int quick: Int } type Mutation { write: Int }',
        resolvers: { Query: { slow: () => 1, quick: () => 2 }, Mutation: { write: () => 3 } },
      },
    },
    {
      GYM_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
      SUBGRAPH_TIMEOUT_MILLIS: '20000',
    },
  );
});
afterAll(async () => {
  await graph.stop();
  service.closeAllConnections();
  service.close();
});
beforeEach(() => {
  graph.subgraph('things').instead = undefined;
});

/** Resolves to the response of the next request at the subgraph. The test sends it, or leaves it open. */
const nextAtSubgraph = (): Promise<http.ServerResponse> =>
  new Promise((resolve) => {
    const things = graph.subgraph('things');
    things.instead = (_req, res) => {
      things.instead = undefined;
      resolve(res);
    };
  });

function client(query: string): { leave(): void; answer: Promise<Response> } {
  const controller = new AbortController();
  const answer = fetch(`${graph.url}/graphql`, {
    method: 'POST',
    signal: controller.signal,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  answer.catch(() => undefined);
  return { answer, leave: () => controller.abort() };
}

/** The number of requests to the subgraph that were aborted because the last client that waited for them had left. */
const aborted = async (): Promise<number> =>
  Number(
    /subgraph_requests_total\{[^}]*outcome="aborted"[^}]*\} (\d+)/.exec(await graph.metrics())?.[1] ?? 0,
  );

/** A WebSocket on which the operation `1` is running. */
async function overSocket(query: string): Promise<WebSocket> {
  const socket = new WebSocket(`${graph.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  await once(socket, 'open');
  socket.send('{"type":"connection_init"}');
  await once(socket, 'message');
  socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query } }));
  return socket;
}

describe('if a client leaves before its answer', () => {
  it.each(['for the first time', 'again'])('its query, sent %s, is aborted at the subgraph', async () => {
    const arrived = nextAtSubgraph();
    const { leave } = client('{ slow }');
    const atSubgraph = await arrived;
    leave();
    await once(atSubgraph, 'close');
    expect(atSubgraph.writableEnded).toBe(false);
  });

  it.each([
    ['completes the query', (socket: WebSocket) => socket.send('{"type":"complete","id":"1"}')],
    ['closes the socket', (socket: WebSocket) => socket.close()],
    ['loses its connection', (socket: WebSocket) => socket.terminate()],
  ])('its query over a WebSocket is aborted at the subgraph if the client %s', async (_how, leave) => {
    const arrived = nextAtSubgraph();
    const socket = await overSocket('{ slow }');
    const atSubgraph = await arrived;
    leave(socket);
    await once(atSubgraph, 'close');
    expect(atSubgraph.writableEnded).toBe(false);
    socket.terminate();
  });

  it('a mutation over a WebSocket runs to its end', async () => {
    const arrived = nextAtSubgraph();
    const socket = await overSocket('mutation { write }');
    const atSubgraph = await arrived;
    socket.close();
    await once(socket, 'close');
    await graph.ask('{ slow }');
    expect(atSubgraph.destroyed).toBe(false);
    atSubgraph.end('{"data":{"write":3}}');
    await once(atSubgraph, 'finish');
  });

  it('and only completes its query, its WebSocket continues with other operations', async () => {
    const arrived = nextAtSubgraph();
    const socket = await overSocket('{ slow }');
    await arrived;
    socket.send('{"type":"complete","id":"1"}');
    const messages: unknown[] = [];
    const completed = new Promise<void>((resolve) => {
      socket.on('message', (data) => {
        const message = JSON.parse((data as Buffer).toString());
        messages.push(message);
        if (message.type === 'complete') resolve();
      });
    });
    socket.send(JSON.stringify({ type: 'subscribe', id: '2', payload: { query: '{ quick }' } }));
    await completed;
    expect(messages).toEqual([
      { type: 'next', id: '2', payload: { data: { quick: 2 } } },
      { type: 'complete', id: '2' },
    ]);
    socket.terminate();
  });

  it('a query for which other clients wait, too, continues until the last of them has left', async () => {
    const { port } = service.address() as AddressInfo;
    const subgraph = new HttpSubgraph({
      name: 'things',
      url: `http://127.0.0.1:${port}/graphql`,
      timeoutMillis: 20_000,
      connections: 4,
      shareInFlight: true,
    });
    let requests = 0;
    const count = (): void => void (requests += 1);
    service.on('request', count);
    const clients = [new WaitingClient(), new WaitingClient(), new WaitingClient()];
    const send = (one: WaitingClient | undefined) =>
      subgraph.send({
        body: '{"query":"{ quick }"}',
        kind: 'query',
        context: { client: one } as GatewayContext,
      });
    const arrived = once(service, 'request') as Promise<[http.IncomingMessage, http.ServerResponse]>;
    const [first, second] = [send(clients[0]), send(clients[1])];
    const [, atService] = await arrived;
    clients[0]?.leave();
    const third = send(clients[2]);
    expect(atService.destroyed).toBe(false);
    clients[1]?.leave();
    clients[2]?.leave();
    for (const one of [first, second, third]) await expect(one).rejects.toThrow('was not waited for');
    await once(atService, 'close');
    expect(requests).toBe(1);
    // The next query does not join the aborted one.
    const again = once(service, 'request') as Promise<[http.IncomingMessage, http.ServerResponse]>;
    const last = send(undefined);
    (await again)[1].end('{"data":{"quick":2}}');
    expect((await last).data).toEqual({ quick: 2 });
    service.off('request', count);
    await subgraph.close();
  });

  it('a mutation runs to its end', async () => {
    const arrived = nextAtSubgraph();
    const { leave, answer } = client('mutation { write }');
    const atSubgraph = await arrived;
    leave();
    await expect(answer).rejects.toThrow('aborted');
    await graph.ask('{ slow }');
    expect(atSubgraph.destroyed).toBe(false);
    atSubgraph.end('{"data":{"write":3}}');
    await once(atSubgraph, 'finish');
  });

  it('the breaker of the subgraph does not count its query as a failure', async () => {
    const before = await aborted();
    for (let round = 0; round < 15; round += 1) {
      const arrived = nextAtSubgraph();
      const { leave } = client('{ slow }');
      const atSubgraph = await arrived;
      leave();
      await once(atSubgraph, 'close');
    }
    expect((await graph.ask('{ slow }')).body).toEqual({ data: { slow: 1 } });
    expect((await aborted()) - before).toBe(15);
  });

  it('its REST request to a service is aborted', async () => {
    const controller = new AbortController();
    const arrived = once(service, 'request') as Promise<[http.IncomingMessage, http.ServerResponse]>;
    const answer = fetch(`${graph.url}/gym/things`, { signal: controller.signal });
    const [, atService] = await arrived;
    controller.abort();
    await expect(answer).rejects.toThrow('aborted');
    await once(atService, 'close');
  });
});
