import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { SquadClient } from '../../subgraphs/squad/client/squad-client.socket.ts';
import { eventually } from '../support/eventually.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { graphClient, socketOf, subscribed, type Person } from './support/people.ts';
import { withinOnThisMachine } from '../support/slow-machine.ts';

let platform: TestPlatform;
let maya: Person;
let leo: Person;
beforeAll(async () => {
  platform = await startPlatform({
    services: ['identity', 'squad'],
    env: { RATE_LIMITS: 'on', SQUAD_AUTHENTICATE_WITHIN_MILLIS: '1500', SQUAD_HEARTBEAT_MILLIS: '1500' },
  });
  [maya, leo] = await Promise.all([platform.register(), platform.register()]);
});
afterAll(() => platform.stop());

const url = () => platform.url('squad');
/**
 * The sum of the sockets, the connections that count for presence, and the listeners. None may stay after its client
 * has left.
 */
const socketsAndListeners = async (): Promise<number> => {
  const { body } = await platform.rest('squad', 'GET', '/metrics');
  return ['open_sockets', 'squad_connections', 'squad_listeners'].reduce((sum, name) => {
    const value = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\d+)$`, 'm').exec(body)?.[1];
    if (value === undefined) throw new Error(`/metrics does not contain ${name}`);
    return sum + Number(value);
  }, 0);
};
/** Waits until `socketsAndListeners` has this value. */
const expectSettledAt = async (figure: number): Promise<void> => {
  for (let tries = 0; (await socketsAndListeners()) !== figure && tries < 200; tries += 1) await wait(50);
  expect(await socketsAndListeners()).toBe(figure);
};
/** Sends a frame. @returns the data of the error frame that answers it */
const errorTo = async (client: SquadClient, frame: string | Buffer): Promise<{ code: string }> => {
  const known = client.frames.length;
  client.socket.send(frame, { binary: typeof frame !== 'string' });
  for (;;) {
    const found = client.frames.slice(known).find(({ event }) => event === 'error');
    if (found) return found.data as { code: string };
    await once(client.socket, 'message');
  }
};

describe('an invalid frame', () => {
  test.each([
    ['no JSON', 'garbage', 'VALIDATION_FAILED'],
    ['a JSON number', '1', 'VALIDATION_FAILED'],
    ['null', 'null', 'VALIDATION_FAILED'],
    ['a list', '[]', 'VALIDATION_FAILED'],
    ['an event that is no text', '{"event": 1}', 'VALIDATION_FAILED'],
    ['a binary frame', Buffer.from([0, 1, 2, 255]), 'VALIDATION_FAILED'],
    ['an unknown event', '{"event": "fly"}', 'UNKNOWN_EVENT'],
    ['an event with the name of an inherited property', '{"event": "constructor"}', 'UNKNOWN_EVENT'],
    ['a wrong status', '{"event": "user_online", "data": {"status": "ASLEEP"}}', 'VALIDATION_FAILED'],
    ['data of a wrong type', '{"event": "user_online", "data": "hello"}', 'VALIDATION_FAILED'],
    [
      'a squad id that is not a UUID',
      '{"event": "join_squad", "data": {"squadId": "../../etc/passwd"}}',
      'VALIDATION_FAILED',
    ],
    [
      'a squad that does not exist',
      '{"event": "join_squad", "data": {"squadId": "01900000-0000-7000-8000-00000000ffff"}}',
      'NOT_FOUND',
    ],
    [
      'a prototype in the data',
      '{"event": "send_squad_message", "data": {"__proto__": {"squadId": "x"}}}',
      'VALIDATION_FAILED',
    ],
    [
      'a number out of bounds',
      '{"event": "update_workout", "data": {"squadId": "01900000-0000-7000-8000-00000000ffff", "eventId": "e", "exerciseIndex": 1e99, "setIndex": 0, "phase": "WORK"}}',
      'VALIDATION_FAILED',
    ],
  ])('(%s) is answered by an error frame, and the socket stays open', async (_what, frame, code) => {
    const socket = await socketOf(platform, maya);
    expect(await errorTo(socket, frame)).toMatchObject({ code, message: expect.any(String) });
    expect((await socket.send('user_online', {})).full).toBe(true);
    await socket.close();
  });

  test('with an id is answered by an error frame with the same id', async () => {
    const socket = await socketOf(platform, maya);
    await expect(socket.send('fly' as never, {} as never)).rejects.toMatchObject({ code: 'UNKNOWN_EVENT' });
    await socket.close();
  });

  test.each([
    [{ fromRevision: 'last' }, /^fromRevision: expected the number of the last revision/],
    [{ fromMessage: 'last' }, /^fromMessage: expected the number of the last message/],
  ])('of join_squad with %j says which number is expected', async (wrong, message) => {
    const socket = await socketOf(platform, maya);
    const data = { squadId: '01900000-0000-7000-8000-00000000ffff', ...wrong };
    const frame = JSON.stringify({ event: 'join_squad', data });
    expect(await errorTo(socket, frame)).toMatchObject({ message: expect.stringMatching(message) });
    await socket.close();
  });

  test('of 1 MiB closes the socket with 1009', async () => {
    const socket = await socketOf(platform, maya);
    socket.socket.send('x'.repeat(1024 * 1024));
    expect((await socket.closed).code).toBe(1009);
  });
});

describe('a client that', () => {
  test('sends events before its token gets UNAUTHENTICATED, and is closed with 4401 if it sends no token in time', async () => {
    const socket = await SquadClient.connect({ url: url() });
    await expect(socket.send('user_online', {})).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(await socket.closed).toMatchObject({ code: 4401 });
  });

  test('sends an invalid token gets an error frame, or is closed with 4401 if the token was in the header', async () => {
    const socket = await SquadClient.connect({ url: url() });
    await expect(socket.send('authenticate', { token: 'x.y.z' })).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    });
    await expect(socket.send('authenticate', { token: 7 } as never)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    });
    expect((await socket.send('authenticate', { token: maya.token })).userId).toBe(maya.id);
    await expect(socket.send('authenticate', { token: leo.token })).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    });
    await socket.close();
    expect((await (await SquadClient.connect({ url: url(), headerToken: 'x.y.z' })).closed).code).toBe(4401);
  });

  test('has logged out gets its open sockets closed with 4403', async () => {
    const { email, password } = await platform.register();
    const { body } = await platform.rest('identity', 'POST', '/auth/login', { body: { email, password } });
    const socket = await SquadClient.connect({ url: url(), token: body.token });
    expect(
      (await platform.rest('identity', 'POST', '/auth/logout', { body: { refreshToken: body.refreshToken } }))
        .status,
    ).toBe(204);
    expect((await socket.closed).code).toBe(4403);
  });

  test('has logged out gets its subscriptions ended with UNAUTHENTICATED', async () => {
    const { email, password } = await platform.register();
    const { body } = await platform.rest('identity', 'POST', '/auth/login', { body: { email, password } });
    const graph = graphClient(url(), body.token);
    const updates = await subscribed(graph, 'subscription { onlineUsersUpdated { seq } }');
    expect(
      (await platform.rest('identity', 'POST', '/auth/logout', { body: { refreshToken: body.refreshToken } }))
        .status,
    ).toBe(204);
    await expect(updates.done).rejects.toMatchObject({
      errors: [{ extensions: { code: 'UNAUTHENTICATED' } }],
    });
    await graph.dispose();
  });

  test('connects from a page of a foreign origin is refused with 403', async () => {
    await expect(
      SquadClient.connect({ url: url(), token: maya.token, origin: 'https://evil.example' }),
    ).rejects.toThrow('403');
    const local = await SquadClient.connect({
      url: url(),
      token: maya.token,
      origin: 'http://localhost:8080',
    });
    await local.close();
  });

  test('no longer answers pings loses its socket', async () => {
    const socket = await socketOf(platform, maya);
    socket.socket.pause();
    const before = await socketsAndListeners();
    for (let tries = 0; (await socketsAndListeners()) >= before && tries < 200; tries += 1) await wait(50);
    expect(await socketsAndListeners()).toBeLessThan(before);
    socket.socket.terminate();
  });
});

test('a client that sends 10,000 frames at once is closed with 4429, and does not slow down others', async () => {
  await expectSettledAt(0);
  const calm = await socketOf(platform, leo);
  await calm.send('user_online', {});
  const floods = await Promise.all(Array.from({ length: 3 }, () => socketOf(platform, maya)));
  const durations: number[] = [];
  const flooding = Promise.all(
    floods.map(async (flood) => {
      for (let n = 0; n < 10_000 && flood.socket.readyState === flood.socket.OPEN; n += 1)
        flood.socket.send(n % 2 ? '{"event":"user_online","data":{}}' : 'garbage');
      return (await flood.closed).code;
    }),
  );
  for (let n = 0; n < 10; n += 1) {
    const sentAt = performance.now();
    await calm.send('user_online', { activity: String(n) });
    durations.push(performance.now() - sentAt);
    await wait(50);
  }
  expect(await flooding).toEqual([4429, 4429, 4429]);
  // The median, because other programs run on this machine.
  expect(durations.toSorted((a, b) => a - b)[5]).toBeLessThan(withinOnThisMachine(500));
  for (const flood of floods)
    expect(flood.frames.filter(({ event }) => event === 'error').length).toBeLessThan(100);
  await calm.close();
  await expectSettledAt(0);
});

test('each frame above the rate that has an id is answered with this id, and the others once a second', async () => {
  await expectSettledAt(0);
  const socket = await socketOf(platform, maya);
  const answers = await Promise.all(
    Array.from({ length: 100 }, () =>
      socket.send('user_online', {}).then(
        () => 'ack',
        (error: { code: string }) => error.code,
      ),
    ),
  );
  expect(new Set(answers)).toEqual(new Set(['ack', 'RATE_LIMITED']));
  expect(answers.filter((answer) => answer === 'ack').length).toBeGreaterThanOrEqual(29);
  expect(socket.frames.filter(({ event }) => event === 'error')).toEqual([]);
  await wait(1_000); // the next second of the rate
  for (let n = 0; n < 100; n += 1) socket.socket.send('{"event":"user_online","data":{}}');
  const { message } = await socket.next('error', ({ code }) => code === 'RATE_LIMITED');
  expect(message).toContain('30 frames per second');
  await socket.send('authenticate', { token: maya.token }).catch(() => undefined);
  // Two if a second of the rate has begun while the frames were sent.
  expect(socket.frames.filter(({ event }) => event === 'error').length).toBeLessThanOrEqual(2);
  expect(socket.socket.readyState).toBe(socket.socket.OPEN);
  await socket.close();
  await expectSettledAt(0);
});

test('sockets and subscriptions that end, cleanly or not, leave no connection and no listener', async () => {
  await expectSettledAt(0);
  const { body: invite } = await platform.rest('squad', 'POST', '/invites', {
    token: maya.token,
    body: { toUserId: leo.id },
  });
  for (let round = 0; round < 5; round += 1) {
    const sockets = await Promise.all([socketOf(platform, maya), socketOf(platform, leo)]);
    for (const socket of sockets) {
      await socket.send('user_online', { delta: round % 2 === 0 });
      await socket.send('user_online', {});
      await socket.send('join_squad', { squadId: invite.squadId });
      await socket.send('join_squad', { squadId: invite.squadId, fromRevision: 0 });
    }
    const graph = graphClient(url(), maya.token);
    for (const query of ['{ onlineUsersUpdated { seq } }', '{ squadInviteReceived { id } }'])
      await subscribed(graph, `subscription ${query}`);
    const idle = await subscribed(graph, 'subscription($s: ID!) { squadUpdated(squadId: $s) { id } }', {
      s: invite.squadId,
    });
    await subscribed(graph, 'subscription($s: ID!) { squadMessageAdded(squadId: $s) { id } }', {
      s: invite.squadId,
    });
    idle.stop();
    if (round % 2) await graph.dispose();
    else graph.terminate();
    for (const socket of sockets) {
      if (round % 2) await socket.close();
      else socket.socket.terminate();
    }
  }
  await expectSettledAt(0);
});

test('the service still answers after connections with bytes that are not of the WebSocket protocol', async () => {
  const { hostname, port } = new URL(url());
  for (const bytes of [
    'GET /socket HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
    'GET /socket HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: bm9ub25vbm9ub25vbm9ubw==\r\nSec-WebSocket-Version: 13\r\n\r\n\xff\xff\xff\xff',
    '\0\0\0',
  ]) {
    const raw = connect(Number(port), hostname);
    raw.on('error', () => undefined);
    raw.resume();
    raw.write(Buffer.from(bytes, 'latin1'));
    await once(raw, 'close');
  }
  expect(
    (
      await platform.rest('squad', 'GET', `/online-users?gymId=${DEMO_GYMS.ironTemple.id}`, {
        token: maya.token,
      })
    ).status,
  ).toBe(200);
});

test('a socket whose token is in the header is closed with 1013, not with 4401, while its token cannot be checked', async () => {
  await platform.running('identity').stop();
  await platform.restart('squad'); // so that it has no keys of identity in memory
  const socket = await SquadClient.connect({ url: url(), headerToken: maya.token });
  await socket.next('error', ({ code }) => code === 'UPSTREAM_UNAVAILABLE');
  expect((await socket.closed).code).toBe(1013);
  await platform.restart('identity');
  const later = await eventually(async () => {
    const tried = await SquadClient.connect({ url: url(), headerToken: maya.token });
    return tried.send('user_online', {}).then(
      () => tried,
      () => undefined,
    );
  });
  await later.close();
});
