import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parse, type ExecutionResult } from 'graphql';
import type { UserViewer } from '#server/auth/viewer.ts';
import { createLogger } from '#server/observability/logger.ts';
import { createMetrics } from '#server/observability/metrics.ts';
import { HttpSubgraph } from '../../gateway/subgraphs/http-subgraph.ts';
import { FederatedSubscriptions } from '../../gateway/subscriptions/federated-subscriptions.ts';
import { loadGraph } from '../../gateway/supergraph/load-graph.ts';
import { inSeconds, startLiveSubgraphs, type LiveSubgraphs } from '../support/live-subgraphs.ts';

let subgraphs: LiveSubgraphs;
let subscriptions: FederatedSubscriptions;
beforeAll(async () => {
  subgraphs = await startLiveSubgraphs();
});
beforeEach(() => open('gateway'));
afterAll(() => subgraphs.stop());

/** Opens the gateway's subscriptions with the token of this service as proof. */
function open(service: string): void {
  subscriptions = new FederatedSubscriptions({
    log: createLogger('gateway', 'silent'),
    metrics: createMetrics('gateway'),
    tokens: {
      get: async () => subgraphs.tokenOf({ role: 'SERVICE', sub: service }),
      refused: () => undefined,
    },
  });
  subscriptions.load(
    loadGraph(
      subgraphs.supergraphSdl,
      (name, at) =>
        new HttpSubgraph({ name, url: at, timeoutMillis: 5_000, connections: 4, shareInFlight: false }),
    ),
  );
}

interface Listener {
  /** Resolves to the value of the only field of the next event. */
  next(): Promise<unknown>;
  leave(): Promise<unknown>;
}
const gymId = 'gym';
const tokenFor = (userId: string, expiresAt = inSeconds(900)): string =>
  subgraphs.tokenOf({ role: 'MEMBER', gymId, sub: userId }, expiresAt);
function listen(
  userId: string,
  { expiresAt = inSeconds(900), query = 'subscription { count }', token = tokenFor(userId, expiresAt) } = {},
): Listener {
  const viewer: UserViewer = {
    kind: 'user',
    userId,
    role: 'MEMBER',
    gymId,
    sessionId: '',
    expiresAt,
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
      prefix: '',
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
const several = async ({ next }: Listener, count: number) => {
  const values = [];
  for (let one = 0; one < count; one += 1) values.push(await next());
  return values;
};

describe('a subscriber that joins later', () => {
  it('gets the whole state and its changes, or a new whole state if there were many changes', async () => {
    subgraphs.count(0);
    const first = listen('first');
    expect(await first.next()).toBe(0);
    subgraphs.count(1, 'partial');
    subgraphs.count(2, 'partial');
    expect(await several(first, 2)).toEqual([1, 2]);
    const second = listen('second');
    expect(await several(second, 3)).toEqual([0, 1, 2]);
    for (let count = 3; count < 60; count += 1) subgraphs.count(count, 'partial');
    expect(await several(first, 57)).toContain(59);
    const third = listen('third');
    expect(await third.next()).toBe(59);
    expect(subscriptions.counts).toEqual({ upstreams: 1, groups: 1, subscribers: 3 });
    await Promise.all([first, second, third].map((one) => one.leave()));
    await subscriptions.close();
  });

  it('has an upstream subscription of their own if they are excluded', async () => {
    subgraphs.count(7);
    const [first, excluded] = [listen('first'), listen('excluded')];
    expect(await Promise.all([first.next(), excluded.next()])).toEqual([7, 7]);
    expect(subscriptions.counts).toEqual({ upstreams: 2, groups: 2, subscribers: 2 });
    await first.leave();
    subgraphs.count(8);
    expect(await excluded.next()).toBe(8);
    await excluded.leave();
    expect(subscriptions.counts).toEqual({ upstreams: 0, groups: 0, subscribers: 0 });
    await subscriptions.close();
  });
});

describe('a member who becomes excluded', () => {
  it('gets no further events of the audience, not even one whose execution is running', async () => {
    const query = 'subscription { thing { name } }';
    const [viewer, other] = [listen('viewer', { query }), listen('other', { query })];
    for (const one of [viewer, other]) expect(await one.next()).toEqual({ name: 'named first' });
    const names = subgraphs.delayNames();
    subgraphs.thing('secret');
    await names.requested;
    subgraphs.exclude('viewer');
    while (subscriptions.counts.upstreams < 2) await new Promise(setImmediate);
    names.release();
    expect(await other.next()).toEqual({ name: 'named secret' });
    expect(await viewer.next()).toEqual({ name: 'named their own' });
    await Promise.all([viewer.leave(), other.leave()]);
    await subscriptions.close();
  });
});

describe('a member who becomes addressed', () => {
  it("gets the audience's earlier events first, then the events that are addressed to them, in order", async () => {
    const query = 'subscription { thing { name } }';
    const [viewer, other] = [listen('viewer', { query }), listen('other', { query })];
    for (const one of [viewer, other]) expect(await one.next()).toEqual({ name: 'named first' });
    const names = subgraphs.delayNames();
    subgraphs.thing('earlier');
    await names.requested;
    for (const thing of ['their own', 'their second']) subgraphs.address('viewer', thing);
    subgraphs.thing('not theirs');
    names.release();
    expect(await several(other, 2)).toEqual([{ name: 'named earlier' }, { name: 'named not theirs' }]);
    expect(await several(viewer, 3)).toEqual([
      { name: 'named earlier' },
      { name: 'named their own' },
      { name: 'named their second' },
    ]);
    expect(subscriptions.counts).toEqual({ upstreams: 1, groups: 1, subscribers: 2 });
    await Promise.all([viewer.leave(), other.leave()]);
    await subscriptions.close();
  });
});

describe('a second subscription', () => {
  it('that is equal to one whose sequence has begun gets a sequence of its own from the beginning', async () => {
    const items = () => listen('one', { query: 'subscription { items }' });
    const together = [items(), items()];
    expect(await Promise.all(together.map((one) => several(one, 3)))).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
    expect(subscriptions.counts).toMatchObject({ upstreams: 1, groups: 1 });
    const late = items();
    expect(await several(late, 3)).toEqual([1, 2, 3]);
    subgraphs.item(4);
    expect(await Promise.all([...together, late].map((one) => one.next()))).toEqual([4, 4, 4]);
    expect(subscriptions.counts).toEqual({ upstreams: 2, groups: 2, subscribers: 3 });
    await Promise.all([...together, late].map((one) => one.leave()));
    expect(subscriptions.counts).toEqual({ upstreams: 0, groups: 0, subscribers: 0 });
    await subscriptions.close();
  });

  it('with another document shares the upstream subscription, and gets the state at once', async () => {
    subgraphs.count(5);
    const one = listen('one');
    expect(await one.next()).toBe(5);
    const other = listen('other', { query: 'subscription Named { count ...on Subscription { count } }' });
    expect(await other.next()).toBe(5);
    expect(subscriptions.counts).toEqual({ upstreams: 1, groups: 2, subscribers: 2 });
    await Promise.all([one.leave(), other.leave()]);
    await subscriptions.close();
  });
});

describe('a token that expires', () => {
  it('is replaced by the token of another member', async () => {
    subgraphs.count(1);
    const expiresAt = inSeconds(4);
    const short = listen('short', { expiresAt });
    expect(await short.next()).toBe(1);
    const long = listen('long');
    expect(await long.next()).toBe(1);
    await once(AbortSignal.timeout(expiresAt - Date.now() + 100), 'abort');
    subgraphs.count(2);
    for (;;) if ((await long.next()) === 2) break;
    await Promise.all([short.leave(), long.leave()]);
    await subscriptions.close();
  });
});

describe('a token that a subgraph refuses', () => {
  it('is replaced by that of a member who joins later, also if a subscription has ended because of the refusal', async () => {
    const [query, token] = ['subscription { thing { name } }', tokenFor('one')];
    const things = listen('one', { query, token });
    expect(await things.next()).toEqual({ name: 'named first' });
    const accept = subgraphs.refuse(token);
    await expect(listen('one', { token }).next()).rejects.toThrow('The access token is not valid');
    accept();
    const later = listen('two', { query });
    expect(await later.next()).toEqual({ name: 'named first' });
    expect(subscriptions.counts).toEqual({ upstreams: 1, groups: 1, subscribers: 2 });
    subgraphs.thing('second');
    expect(await Promise.all([things, later].map((one) => one.next()))).toEqual([
      { name: 'named second' },
      { name: 'named second' },
    ]);
    await Promise.all([things.leave(), later.leave()]);
    expect(subscriptions.counts).toEqual({ upstreams: 0, groups: 0, subscribers: 0 });
    await subscriptions.close();
  });
});

describe("a subgraph that refuses the gateway's proof", () => {
  it('gets a subscription for each viewer', async () => {
    open('gym');
    subgraphs.count(3);
    const [one, other] = [listen('one'), listen('other')];
    expect(await Promise.all([one.next(), other.next()])).toEqual([3, 3]);
    expect(subscriptions.counts).toEqual({ upstreams: 2, groups: 2, subscribers: 2 });
    await Promise.all([one.leave(), other.leave()]);
    await subscriptions.close();
  });
});
