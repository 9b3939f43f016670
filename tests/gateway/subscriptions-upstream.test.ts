import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { composeServices } from '@apollo/composition';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parse, type ExecutionResult } from 'graphql';
import jwt from 'jsonwebtoken';
import { WebSocketServer } from 'ws';
import type { Audience } from '#server/audience.ts';
import { TokenVerifier } from '#server/auth/token-verifier.ts';
import type { UserViewer } from '#server/auth/viewer.ts';
import { EVENT_KIND, type EventKind } from '#server/event-kind.ts';
import { eventSource } from '#server/event-source.ts';
import { subgraphSchema } from '#server/graphql/subgraph-endpoint.ts';
import { serveSubscriptions } from '#server/graphql/subscriptions.ts';
import { createLogger } from '#server/observability/logger.ts';
import { createMetrics } from '#server/observability/metrics.ts';
import { HttpSubgraph } from '../../gateway/subgraphs/http-subgraph.ts';
import { FederatedSubscriptions } from '../../gateway/subscriptions/federated-subscriptions.ts';
import { loadGraph } from '../../gateway/supergraph/load-graph.ts';

/** A subgraph whose events are what the test says: of a state, and of a sequence that begins with what one has missed. */
const SDL = `
  extend schema
    @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@composeDirective", "@key"])
    @link(url: "https://specs.fitness-platform.example/audience/v1.0", import: ["@sameForGym"])
    @composeDirective(name: "@sameForGym")
  directive @sameForGym on FIELD_DEFINITION
  type Query { nothing: Int }
  type Subscription { count: Int @sameForGym, items: Int, thing: Thing @sameForGym }
  type Thing @key(fields: "id") { id: ID! @sameForGym }
`;
/** Another, which answers when the test lets it. */
const NAMES_SDL = `
  extend schema
    @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@composeDirective", "@key"])
    @link(url: "https://specs.fitness-platform.example/audience/v1.0", import: ["@sameForGym"])
    @composeDirective(name: "@sameForGym")
  directive @sameForGym on FIELD_DEFINITION
  type Thing @key(fields: "id") { id: ID! name: String @sameForGym }
`;
const names = new EventEmitter();
let areNamesHeld = false;
interface CountEvent {
  count: number;
  [EVENT_KIND]?: EventKind;
}

const log = createLogger('gateway', 'silent');
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const said = new EventEmitter();
let total = 0;
let url: string;
let namesUrl: string;
let stopSubgraph: () => Promise<void>;
let subscriptions: FederatedSubscriptions;

const tokenOf = (claims: object, seconds = 900): string =>
  jwt.sign({ sid: randomUUID(), ...claims }, privateKey, {
    algorithm: 'ES256',
    keyid: 'test',
    issuer: 'test',
    audience: 'test',
    expiresIn: seconds,
  });
const whole = (count: number): CountEvent => ({ count: (total = count), [EVENT_KIND]: 'whole' });
const more = (count: number): CountEvent => ({ count: (total = count), [EVENT_KIND]: 'partial' });
const item = (items: number) => ({ items, [EVENT_KIND]: 'next' as const });
const say = (event: CountEvent) => said.emit('event', event);

beforeAll(async () => {
  const schema = subgraphSchema(SDL, [
    {
      Subscription: {
        count: {
          subscribe: (_root: unknown, _args: unknown, { audience }: { audience?: Audience }) =>
            eventSource<CountEvent>(async (stream) => {
              const push =
                audience?.attend(stream, {
                  async onJoin(userId, tell) {
                    tell(userId.startsWith('apart'));
                    return () => undefined;
                  },
                  again: () => push(whole(total)),
                }) ?? stream.push;
              said.on('event', push);
              stream.onStop(() => said.off('event', push));
              push(whole(total));
            }),
        },
        thing: {
          subscribe: (_root: unknown, _args: unknown, { audience }: { audience?: Audience }) =>
            eventSource<{ thing: { id: string }; [EVENT_KIND]: EventKind }>(async (stream) => {
              const push =
                audience?.attend(stream, {
                  async onJoin(userId, standing) {
                    standing(false);
                    const hear = (): void => standing(true);
                    said.on(`apart ${userId}`, hear);
                    return () => void said.off(`apart ${userId}`, hear);
                  },
                  again: () => undefined,
                }) ?? stream.push;
              const tell = (id: string) => push({ thing: { id }, [EVENT_KIND]: 'whole' });
              if (audience) said.on('thing', tell);
              stream.onStop(() => said.off('thing', tell));
              tell(audience ? 'first' : 'her own');
            }),
        },
        items: {
          subscribe: () =>
            eventSource<ReturnType<typeof item>>(async (stream) => {
              for (const missed of [1, 2, 3]) stream.push(item(missed));
              const push = (items: number) => stream.push(item(items));
              said.on('item', push);
              stream.onStop(() => said.off('item', push));
            }),
        },
      },
    },
  ]);
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  const verifier = new TokenVerifier({
    issuer: 'test',
    audience: 'test',
    keys: { get: async () => publicKey.export({ type: 'spki', format: 'pem' }) as string },
  });
  const stop = serveSubscriptions(sockets, {
    schema,
    verifier,
    log,
    contextFor: async (authorization) => {
      await verifier.verify(authorization?.slice('Bearer '.length) ?? '');
      return {};
    },
  });
  const namesServer = createServer(async (req, res) => {
    let body = '';
    for await (const part of req) body += String(part);
    const { representations } = (JSON.parse(body) as { variables: { representations: { id: string }[] } })
      .variables;
    if (areNamesHeld) {
      names.emit('asked');
      await once(names, 'answer');
    }
    const _entities = representations.map(({ id }) => ({ __typename: 'Thing', id, name: `named ${id}` }));
    res.setHeader('Content-Type', 'application/json').end(JSON.stringify({ data: { _entities } }));
  });
  await new Promise<void>((resolve) => namesServer.listen(0, '127.0.0.1', resolve));
  namesUrl = `http://127.0.0.1:${(namesServer.address() as AddressInfo).port}/graphql`;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
  stopSubgraph = async () => {
    await stop();
    namesServer.closeAllConnections();
    await Promise.all([server, namesServer].map((one) => new Promise((resolve) => one.close(resolve))));
  };
});
beforeEach(() => open('gateway'));
afterAll(() => stopSubgraph());

/** A gateway that says to be this service. */
function open(service: string): void {
  subscriptions = new FederatedSubscriptions({
    log,
    metrics: createMetrics('gateway'),
    tokens: { get: async () => tokenOf({ role: 'SERVICE', sub: service }) },
  });
  const { supergraphSdl } = composeServices([
    { name: 'counter', url, typeDefs: parse(SDL) },
    { name: 'names', url: namesUrl, typeDefs: parse(NAMES_SDL) },
  ]);
  subscriptions.load(
    loadGraph(
      supergraphSdl ?? '',
      (name, at) =>
        new HttpSubgraph({ name, url: at, timeoutMillis: 5_000, connections: 4, shareInFlight: false }),
    ),
  );
}

interface Heard {
  /** The value of the only field. */
  next(): Promise<unknown>;
  leave(): Promise<unknown>;
}
function listen(userId: string, seconds = 900, query = 'subscription { count }'): Heard {
  const gymId = 'gym';
  const token = tokenOf({ role: 'MEMBER', gymId, sub: userId }, seconds);
  const viewer: UserViewer = {
    kind: 'user',
    userId,
    role: 'MEMBER',
    gymId,
    sessionId: '',
    expiresAt: Date.now() + seconds * 1_000,
  };
  const results = subscriptions.subscribe({
    document: parse(query),
    operationName: undefined,
    variables: {},
    context: {
      viewer,
      authorization: `Bearer ${token}`,
      requestId: '',
      traceparent: '',
      address: '',
      userAgent: '',
    },
  }) as AsyncIterableIterator<ExecutionResult>;
  return {
    async next() {
      const { value, done } = await results.next();
      if (done || value.errors) throw new Error(`no event: ${JSON.stringify(value)}`);
      return Object.values(value.data ?? {})[0];
    },
    leave: async () => results.return?.(),
  };
}
const several = async ({ next }: Heard, count: number) => {
  const heard = [];
  for (let one = 0; one < count; one += 1) heard.push(await next());
  return heard;
};

describe('who comes later', () => {
  it('gets the whole state and what was added to it, or the whole state anew where much was', async () => {
    total = 0;
    const first = listen('first');
    expect(await first.next()).toBe(0);
    say(more(1));
    say(more(2));
    expect(await several(first, 2)).toEqual([1, 2]);
    const second = listen('second');
    expect(await several(second, 3)).toEqual([0, 1, 2]);
    for (let count = 3; count < 60; count += 1) say(more(count));
    expect(await several(first, 57)).toContain(59);
    const third = listen('third');
    expect(await third.next()).toBe(59);
    expect(subscriptions.counts).toEqual({ upstreams: 1, groups: 1, subscribers: 3 });
    await Promise.all([first, second, third].map((one) => one.leave()));
    await subscriptions.close();
  });

  it('and who is not one of the others gets her own', async () => {
    total = 7;
    const [first, apart] = [listen('first'), listen('apart')];
    expect(await Promise.all([first.next(), apart.next()])).toEqual([7, 7]);
    expect(subscriptions.counts).toEqual({ upstreams: 2, groups: 2, subscribers: 2 });
    await first.leave();
    say(whole(8));
    expect(await apart.next()).toBe(8);
    await apart.leave();
    expect(subscriptions.counts).toEqual({ upstreams: 0, groups: 0, subscribers: 0 });
    await subscriptions.close();
  });
});

describe('a member who is told apart', () => {
  it('hears nothing more of the others, also not what was being filled in', async () => {
    const query = 'subscription { thing { name } }';
    const [viewer, other] = [listen('viewer', 900, query), listen('other', 900, query)];
    for (const one of [viewer, other]) expect(await one.next()).toEqual({ name: 'named first' });
    areNamesHeld = true;
    const asked = once(names, 'asked');
    said.emit('thing', 'secret');
    await asked;
    said.emit('apart viewer');
    while (subscriptions.counts.upstreams < 2) await new Promise(setImmediate);
    areNamesHeld = false;
    names.emit('answer');
    expect(await other.next()).toEqual({ name: 'named secret' });
    expect(await viewer.next()).toEqual({ name: 'named her own' });
    await Promise.all([viewer.leave(), other.leave()]);
    await subscriptions.close();
  });
});

describe('an equal subscription', () => {
  it('to a sequence that has begun already begins anew', async () => {
    const items = () => listen('one', 900, 'subscription { items }');
    const together = [items(), items()];
    expect(await Promise.all(together.map((one) => several(one, 3)))).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
    expect(subscriptions.counts).toMatchObject({ upstreams: 1, groups: 1 });
    const late = items();
    expect(await several(late, 3)).toEqual([1, 2, 3]);
    said.emit('item', 4);
    expect(await Promise.all([...together, late].map((one) => one.next()))).toEqual([4, 4, 4]);
    expect(subscriptions.counts).toEqual({ upstreams: 2, groups: 2, subscribers: 3 });
    await Promise.all([...together, late].map((one) => one.leave()));
    expect(subscriptions.counts).toEqual({ upstreams: 0, groups: 0, subscribers: 0 });
    await subscriptions.close();
  });

  it('in other words shares the events, and hears the state at once', async () => {
    total = 5;
    const one = listen('one');
    expect(await one.next()).toBe(5);
    const other = listen('other', 900, 'subscription Named { count ...on Subscription { count } }');
    expect(await other.next()).toBe(5);
    expect(subscriptions.counts).toEqual({ upstreams: 1, groups: 2, subscribers: 2 });
    await Promise.all([one.leave(), other.leave()]);
    await subscriptions.close();
  });
});

describe('a token that expires', () => {
  it('is replaced by that of another who shares the subscription', async () => {
    total = 1;
    const short = listen('short', 1);
    expect(await short.next()).toBe(1);
    const long = listen('long');
    expect(await long.next()).toBe(1);
    await once(AbortSignal.timeout(1_100), 'abort');
    say(whole(2));
    for (;;) if ((await long.next()) === 2) break;
    await Promise.all([short.leave(), long.leave()]);
    await subscriptions.close();
  });
});

describe('a subgraph that does not take it for the gateway', () => {
  it('is subscribed to by each for herself', async () => {
    open('gym');
    total = 3;
    const [one, other] = [listen('one'), listen('other')];
    expect(await Promise.all([one.next(), other.next()])).toEqual([3, 3]);
    expect(subscriptions.counts).toEqual({ upstreams: 2, groups: 2, subscribers: 2 });
    await Promise.all([one.leave(), other.leave()]);
    await subscriptions.close();
  });
});
