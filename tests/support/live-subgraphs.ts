import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { composeServices } from '@apollo/composition';
import { parse } from 'graphql';
import jwt from 'jsonwebtoken';
import { WebSocketServer } from 'ws';
import { OperationChecks } from '#server/graphql/operation-checks.ts';
import type { Audience } from '#server/audience.ts';
import { TokenVerifier } from '#server/auth/token-verifier.ts';
import { EVENT_KIND, type EventKind } from '#server/event-kind.ts';
import { eventSource } from '#server/event-source.ts';
import { subgraphSchema } from '#server/graphql/subgraph-endpoint.ts';
import { serveSubscriptions } from '#server/graphql/subscriptions.ts';
import { eventDelays } from '#server/observability/event-cause.ts';
import { createMetrics } from '#server/observability/metrics.ts';
import { createLogger } from '#server/observability/logger.ts';

/** A subgraph whose events the test sends: `count` and `thing` have a whole state, `items` is a sequence of next events. */
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
/** Another subgraph, whose answers the test can delay. */
const NAMES_SDL = `
  extend schema
    @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@composeDirective", "@key"])
    @link(url: "https://specs.fitness-platform.example/audience/v1.0", import: ["@sameForGym"])
    @composeDirective(name: "@sameForGym")
  directive @sameForGym on FIELD_DEFINITION
  type Thing @key(fields: "id") { id: ID! name: String @sameForGym }
`;
interface CountEvent {
  count: number;
  [EVENT_KIND]?: EventKind;
}

/** Two subgraphs, controlled by a test. */
export interface LiveSubgraphs {
  /** The supergraph of both. */
  readonly supergraphSdl: string;
  /** @param expiresAt in milliseconds since 1970, a whole second */
  tokenOf(claims: object, expiresAt?: number): string;
  /** Refuses new subscriptions with this token until the returned function is called. */
  refuse(token: string): () => void;
  /** Changes the count, and sends it as a whole or partial event. Users whose ids begin with `excluded` are excluded. */
  count(count: number, kind?: 'whole' | 'partial'): void;
  item(item: number): void;
  /** Sends an event to the audience. */
  thing(id: string): void;
  /** Excludes this user from the audience of `thing`. Their own subscription then begins with the thing `their own`. */
  exclude(userId: string): void;
  /** Makes the user addressed, and sends this thing to them alone. */
  address(userId: string, thing: string): void;
  /** Delays the answers for names until `release`. `requested` resolves at the first request for a name. */
  delayNames(): { requested: Promise<unknown>; release(): void };
  stop(): Promise<void>;
}

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** The time so many seconds from now, rounded up to a whole second as in tokens; in milliseconds since 1970. */
export const inSeconds = (seconds: number): number => Math.ceil(Date.now() / 1_000 + seconds) * 1_000;

const tokenOf = (claims: object, expiresAt = inSeconds(900)): string =>
  jwt.sign({ sid: randomUUID(), exp: expiresAt / 1_000, ...claims }, privateKey, {
    algorithm: 'ES256',
    keyid: 'test',
    issuer: 'test',
    audience: 'test',
  });

export async function startLiveSubgraphs(): Promise<LiveSubgraphs> {
  const emitter = new EventEmitter();
  const names = new EventEmitter();
  const refused = new Set<string>();
  let areNamesDelayed = false;
  let total = 0;
  const counted = (kind: EventKind): CountEvent => ({ count: total, [EVENT_KIND]: kind });
  const item = (items: number) => ({ items, [EVENT_KIND]: 'next' as const });
  const schema = subgraphSchema(SDL, [
    {
      Subscription: {
        count: {
          subscribe: (_root: unknown, _args: unknown, { audience }: { audience?: Audience }) =>
            eventSource<CountEvent>(async (stream) => {
              const push =
                audience?.startWith(stream, {
                  async onJoin(userId, { report }) {
                    report(userId.startsWith('excluded') ? 'excluded' : 'eligible');
                    return () => undefined;
                  },
                  sendWholeState: () => push(counted('whole')),
                }) ?? ((event) => stream.push(event));
              emitter.on('event', push);
              stream.onStop(() => emitter.off('event', push));
              push(counted('whole'));
            }),
        },
        thing: {
          subscribe: (_root: unknown, _args: unknown, { audience }: { audience?: Audience }) =>
            eventSource<{ thing: { id: string }; [EVENT_KIND]: EventKind }>(async (stream) => {
              const push =
                audience?.startWith(stream, {
                  async onJoin(userId, { report, push: pushTo }) {
                    report('eligible');
                    const onThing = (id: string): void => {
                      report('addressed');
                      pushTo({ thing: { id }, [EVENT_KIND]: 'whole' });
                    };
                    emitter.on(`to ${userId}`, onThing);
                    const exclude = (): void => report('excluded');
                    emitter.on(`exclude ${userId}`, exclude);
                    return () => {
                      emitter.off(`to ${userId}`, onThing);
                      emitter.off(`exclude ${userId}`, exclude);
                    };
                  },
                  sendWholeState: () => undefined,
                }) ?? ((event) => stream.push(event));
              const send = (id: string) => push({ thing: { id }, [EVENT_KIND]: 'whole' });
              if (audience) emitter.on('thing', send);
              stream.onStop(() => emitter.off('thing', send));
              send(audience ? 'first' : 'their own');
            }),
        },
        items: {
          subscribe: () =>
            eventSource<ReturnType<typeof item>>(async (stream) => {
              for (const missed of [1, 2, 3]) stream.push(item(missed));
              const push = (items: number) => stream.push(item(items));
              emitter.on('item', push);
              stream.onStop(() => emitter.off('item', push));
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
    settings: { rateLimits: false, socketsPerUser: 50, operationsPerSocket: 100, socketIdleMillis: 600_000 },
    checks: new OperationChecks(schema, SDL, 'on'),
    verifier,
    log: createLogger('counter', 'silent'),
    delays: eventDelays(createMetrics('counter')),
    tracing: undefined,
    contextFor: async (authorization) => {
      const token = authorization?.slice('Bearer '.length) ?? '';
      await verifier.verify(refused.has(token) ? '' : token);
      return {};
    },
  });
  const namesServer = createServer(async (req, res) => {
    let body = '';
    for await (const part of req) body += String(part);
    const { representations } = (JSON.parse(body) as { variables: { representations: { id: string }[] } })
      .variables;
    if (areNamesDelayed) {
      names.emit('requested');
      await once(names, 'released');
    }
    const _entities = representations.map(({ id }) => ({ __typename: 'Thing', id, name: `named ${id}` }));
    res.setHeader('Content-Type', 'application/json').end(JSON.stringify({ data: { _entities } }));
  });
  const url = await listen(server);
  const { supergraphSdl } = composeServices([
    { name: 'counter', url, typeDefs: parse(SDL) },
    { name: 'names', url: await listen(namesServer), typeDefs: parse(NAMES_SDL) },
  ]);
  return {
    supergraphSdl: supergraphSdl ?? '',
    tokenOf,
    refuse(token) {
      refused.add(token);
      return () => void refused.delete(token);
    },
    count(count, kind = 'whole') {
      total = count;
      emitter.emit('event', counted(kind));
    },
    item: (one) => void emitter.emit('item', one),
    thing: (id) => void emitter.emit('thing', id),
    exclude: (userId) => void emitter.emit(`exclude ${userId}`),
    address: (userId, thing) => void emitter.emit(`to ${userId}`, thing),
    delayNames() {
      areNamesDelayed = true;
      return {
        requested: once(names, 'requested'),
        release() {
          areNamesDelayed = false;
          names.emit('released');
        },
      };
    },
    async stop() {
      await stop();
      namesServer.closeAllConnections();
      await Promise.all([server, namesServer].map((one) => new Promise((resolve) => one.close(resolve))));
    },
  };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
}
