import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { settingsOf } from '#server/run.ts';
import { startSubgraph, type RunningSubgraph } from '#server/start-subgraph.ts';
import { SquadClient } from '../../subgraphs/squad/client/squad-client.socket.ts';
import { database } from '../../subgraphs/squad/database.ts';
import { squad } from '../../subgraphs/squad/subgraph.ts';
import {
  startCollector,
  traceparentOf,
  tracingTo,
  wayTo,
  type CollectedSpan,
  type Collector,
} from '../support/collector.ts';
import { cloneDatabase, type ClonedDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { startPlatform, type TestAccount, type TestPlatform } from '../support/platform.ts';
import { hasRedis, startRedis, type OwnRedis } from '../support/redis.ts';
import { openStream, STREAM_PROTOCOLS, type OpenStream, type StreamProtocol } from '../support/stream.ts';

let collector: Collector;
let platform: TestPlatform;
let maya: TestAccount;
let leo: TestAccount;

beforeAll(async () => {
  collector = await startCollector();
  platform = await startPlatform({
    services: ['identity', 'squad'],
    gateway: true,
    env: tracingTo(collector),
  });
  [maya, leo] = await Promise.all([platform.register(), platform.register()]);
});
afterAll(async () => {
  await platform.stop();
  await collector.stop();
});

const INVITED = 'subscription { squadInviteReceived { id from { displayName } } }';

const isSent = ({ name }: CollectedSpan): boolean => name === 'send squad_invite_received';
const instanceOf = ({ resource }: CollectedSpan): unknown => resource['service.instance.id'];

/** How many events the histogram of a server has counted for this subscription or event. */
async function counted(url: string, subscription: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const line = text
    .split('\n')
    .find((one) => one.startsWith('event_to_viewer_seconds_count') && one.includes(`"${subscription}"`));
  return Number(line?.split(' ').at(-1) ?? 0);
}

describe('an invite by a mutation at the gateway', () => {
  const streams = new Map<StreamProtocol, OpenStream>();
  let socket: SquadClient;
  let traceId: string;
  let invited: string;
  let before: number[];

  const invite = async (by: TestAccount, headers: Record<string, string> = {}): Promise<string> => {
    const query = 'mutation ($in: SendSquadInviteInput!) { sendSquadInvite(input: $in) { id } }';
    const { data } = await platform.graph(
      'gateway',
      query,
      { in: { toUserId: leo.id } },
      { token: by.token, headers },
    );
    return data.sendSquadInvite.id;
  };
  /** The events that the gateway has sent to streams, and those that squad has sent to raw sockets. */
  const countedAtBoth = (): Promise<number[]> =>
    Promise.all([
      counted(platform.url('gateway'), 'squadInviteReceived'),
      counted(platform.url('squad'), 'squad_invite_received'),
    ]);
  const countedSince = async (): Promise<number[]> =>
    (await countedAtBoth()).map((count, index) => count - (before[index] ?? 0));

  beforeAll(async () => {
    for (const protocol of Object.keys(STREAM_PROTOCOLS) as StreamProtocol[])
      streams.set(
        protocol,
        await openStream(platform.url('gateway'), protocol, { query: INVITED, token: leo.token }),
      );
    socket = await SquadClient.connect({ url: `${platform.url('gateway')}/squad`, token: leo.token });
    // Once a first invite has arrived everywhere, all have begun to listen.
    await invite(await platform.register());
    for (const stream of streams.values()) await stream.result();
    await socket.next('squad_invite_received');
    before = await countedAtBoth();
    traceId = randomBytes(16).toString('hex');
    invited = await invite(maya, { traceparent: traceparentOf(traceId) });
  });
  afterAll(async () => {
    for (const stream of streams.values()) stream.close();
    await socket.close();
  });

  it('is one trace up to the events of subscriptions over HTTP, by server-sent events and by multipart', async () => {
    for (const stream of streams.values())
      expect((await stream.result()).data?.squadInviteReceived.id).toBe(invited);
    const trace = await collector.trace(
      traceId,
      (spans) => spans.filter(({ name }) => name === 'send squadInviteReceived').length === 2,
    );
    for (const sent of trace.filter(({ name }) => name === 'send squadInviteReceived'))
      expect(wayTo(sent, trace)).toEqual([
        'gateway: POST /graphql',
        'gateway: POST /graphql',
        'squad: POST /graphql',
        'squad: event squadInviteReceived',
        'gateway: event squadInviteReceived',
        'gateway: send squadInviteReceived',
      ]);
    expect((await countedSince())[0]).toBe(2);
  });

  it("is one trace up to the event at squad's raw socket", async () => {
    await socket.next('squad_invite_received', (data) => data.invite.id === invited);
    const trace = await collector.trace(traceId, (spans) => spans.some(isSent));
    const sent = trace.filter(isSent);
    expect(sent.map((span) => wayTo(span, trace))).toEqual([
      [
        'gateway: POST /graphql',
        'gateway: POST /graphql',
        'squad: POST /graphql',
        'squad: send squad_invite_received',
      ],
    ]);
    expect((await countedSince())[1]).toBe(1);
  });

  it('is not counted again for a socket that connects later and then gets the open invite', async () => {
    const later = await SquadClient.connect({ url: platform.url('squad'), token: leo.token });
    await later.next('squad_invite_received', (data) => data.invite.id === invited);
    await later.close();
    expect((await countedSince())[1]).toBe(1);
  });
});

const why = hasRedis ? '' : ' (skipped: redis-server is not installed)';

(hasRedis ? describe : describe.skip)(`a frame of squad's raw socket${why}`, () => {
  let redis: OwnRedis;
  let clone: ClonedDatabase;
  let instances: RunningSubgraph[];

  beforeAll(async () => {
    [redis, clone] = await Promise.all([startRedis(), cloneDatabase(database)]);
    const { settings } = settingsOf(squad, { ...platform.env, REDIS_URL: redis.url });
    const { server: databaseServer, name: databaseName } = clone;
    instances = await Promise.all(
      [1, 2].map(() =>
        startSubgraph(squad, { settings, port: 0, verifyAnswers: true, databaseServer, databaseName }),
      ),
    );
  });
  afterAll(async () => {
    await Promise.all(instances.map((instance) => instance.stop()));
    await redis.stop();
  });

  it('is one trace up to the event at a socket of another instance', async () => {
    const [one, other] = instances as [RunningSubgraph, RunningSubgraph];
    const mayas = await SquadClient.connect({ url: one.url, token: maya.token });
    const leos = await SquadClient.connect({ url: other.url, token: leo.token });
    await mayas.send('send_squad_invite', { toUserId: leo.id });
    await leos.next('squad_invite_received');
    const frame = await eventually(async () =>
      collector.spans.find(({ name }) => name === 'send_squad_invite'),
    );
    const trace = await collector.trace(frame?.traceId ?? '', (spans) => spans.some(isSent));
    const sent = trace.find(isSent);
    expect(wayTo(sent, trace)).toEqual(['squad: send_squad_invite', 'squad: send squad_invite_received']);
    expect(sent && instanceOf(sent)).not.toBe(frame && instanceOf(frame));
    await Promise.all([mayas.close(), leos.close()]);
  });
});
