import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { ONLINE, onlineListeners, type Person } from '../support/online-listeners.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { subscribe } from '../support/subscribe.ts';
import { withinOnThisMachine } from '../support/slow-machine.ts';

let platform: TestPlatform;
const { open, newGym, people, announce, block, unblock, listen, figures, figureOf, subscribersHaveLeft } =
  onlineListeners(() => platform);
beforeAll(async () => {
  platform = await startPlatform({
    services: ['identity', 'gym', 'squad'],
    gateway: true,
    env: { SQUAD_PRESENCE_INTERVAL_MILLIS: '10', SQUAD_PRESENCE_GRACE_MILLIS: '60000' },
  });
});
afterEach(() => Promise.all(open.splice(0).map((subscription) => subscription.close())));
afterAll(() => platform.stop());

describe('subscriptions of a whole gym', () => {
  it('by 1,000 clients need one upstream subscription and one execution per event', async () => {
    await subscribersHaveLeft();
    const members = await people(10, await newGym());
    const [first] = members as [Person];
    await announce(first, 'at first');
    const clients = Array.from({ length: 1_000 }, (_one, index) =>
      listen(members[index % members.length] as Person),
    );
    await Promise.all(clients.map((client) => client.shows(first, 'at first')));
    const before = await figures();
    expect(before).toMatchObject({ upstreams: 1, groups: 1, subscribers: 1_000 });
    await announce(first, 'running');
    await Promise.all(clients.map((client) => client.shows(first, 'running')));
    expect(await figures()).toEqual({ ...before, executions: before.executions + 1 });
  });

  it('never show members to each other if one has blocked the other, also during a block or unblock', async () => {
    await subscribersHaveLeft();
    const [viewer, other, bystander] = (await people(3, await newGym())) as [Person, Person, Person];
    await Promise.all([announce(viewer, 'there'), announce(other, 'there'), announce(bystander, 'there')]);
    const viewers = listen(viewer);
    const unaffected = listen(bystander);
    await Promise.all([viewers.shows(other, 'there'), unaffected.shows(other, 'there')]);
    expect((await figures()).upstreams).toBe(1);
    for (let round = 0; round < 10; round += 1) {
      const [blocker, blocked] = round % 2 ? [viewer, other] : [other, viewer];
      await Promise.all([announce(other, `before ${round}`), block(blocker, blocked)]);
      // The block was answered: from now on the viewer must not see the other member.
      const late = listen(viewer);
      await announce(other, `secret ${round}`);
      await unaffected.shows(other, `secret ${round}`);
      await announce(bystander, `hello ${round}`);
      await Promise.all([
        viewers.shows(bystander, `hello ${round}`),
        late.shows(bystander, `hello ${round}`),
      ]);
      expect(late.updates.some((users) => users.has(other.id))).toBe(false);
      expect(viewers.updates.some((users) => users.get(other.id) === `secret ${round}`)).toBe(false);
      await late.subscription.close();
      // After the unblock they see each other again.
      await unblock(blocker, blocked);
      await announce(other, `open ${round}`);
      await viewers.shows(other, `open ${round}`);
    }
    while ((await figures()).upstreams > 1) await new Promise(setImmediate);
  });

  it('give a member no update if an offline user blocks or unblocks them', async () => {
    await subscribersHaveLeft();
    const [viewer, absent, bystander] = (await people(3, await newGym())) as [Person, Person, Person];
    await Promise.all([announce(viewer, 'there'), announce(bystander, 'there')]);
    const [viewers, unaffected] = [listen(viewer), listen(bystander)];
    await Promise.all([viewers.shows(bystander, 'there'), unaffected.shows(viewer, 'there')]);
    const listeners = await figureOf('squad', 'squad_listeners');
    for (const [change, more] of [
      [block, 1],
      [unblock, 0],
    ] as const) {
      const before = [viewers.updates.length, unaffected.updates.length];
      await change(absent, viewer);
      // While the viewer is blocked, the service computes their updates separately.
      while ((await figureOf('squad', 'squad_listeners')) !== listeners + more)
        await new Promise(setImmediate);
      const activity = `after ${more}`;
      await announce(bystander, activity);
      await Promise.all([viewers.shows(bystander, activity), unaffected.shows(bystander, activity)]);
      expect([viewers.updates.length, unaffected.updates.length]).toEqual(before.map((count) => count + 1));
    }
  });

  it('continue after a restart of their service, and still hide blocked users', async () => {
    await subscribersHaveLeft();
    const [viewer, other, bystander] = (await people(3, await newGym())) as [Person, Person, Person];
    const [viewers, unaffected] = [listen(viewer), listen(bystander)];
    await block(viewer, other);
    await platform.restart('squad');
    // After the restart no member is online.
    await announce(other, 'secret');
    await unaffected.shows(other, 'secret');
    await announce(bystander, 'hello');
    await viewers.shows(bystander, 'hello');
    expect(viewers.updates.some((users) => users.has(other.id))).toBe(false);
  });

  it('keep their subscribers online, although only the gateway reports them to the service', async () => {
    await subscribersHaveLeft();
    const [one, other] = (await people(2, await newGym())) as [Person, Person];
    const [own, viewers] = [listen(one), listen(other)];
    await announce(one, 'listening');
    await Promise.all([own.shows(one, 'listening'), viewers.shows(one, 'listening')]);
    const connections = () => figureOf('squad', 'squad_connections');
    expect(await connections()).toBe(2);
    await own.subscription.close();
    while ((await connections()) > 1) await new Promise(setImmediate);
  });

  it('are not shared if a field is not the same for all members', async () => {
    await subscribersHaveLeft();
    const [one, other] = (await people(2, await newGym())) as [Person, Person];
    const query = ONLINE.replace('displayName', 'displayName email');
    const [ofOne, ofOther] = [listen(one, query), listen(other, query)];
    await announce(one, 'listening');
    await Promise.all([ofOne.shows(one, 'listening'), ofOther.shows(one, 'listening')]);
    expect(await figures()).toMatchObject({ upstreams: 2, groups: 2 });
  });

  it('of the occupancy of a location are shared, too', async () => {
    await subscribersHaveLeft();
    const gymId = await newGym();
    const { body } = await platform.rest('gym', 'POST', '/locations', {
      token: await platform.demo('super@demo.test'),
      body: { gymId, name: `Hall ${randomUUID()}`, timezone: 'UTC', capacity: 4 },
    });
    const events = (await people(3, gymId)).map(({ token }) => {
      const query = `subscription { occupancyChanged(locationId: "${body.id}") { people location { name gym { name } } } }`;
      const subscription = subscribe(platform.url('gateway'), query, {}, token);
      open.push(subscription);
      return subscription;
    });
    const first = await Promise.all(events.map((event) => event.next()));
    expect(first.map(({ data }) => data?.occupancyChanged.people)).toEqual([0, 0, 0]);
    expect(await figures()).toMatchObject({ upstreams: 1, groups: 1, subscribers: 3 });
  });

  it('are not shared by members of different gyms', async () => {
    await subscribersHaveLeft();
    const [gym, elsewhere] = await Promise.all([newGym(), newGym()]);
    const [[one], [other]] = (await Promise.all([people(1, gym), people(1, elsewhere)])) as [
      [Person],
      [Person],
    ];
    const [ofOne, ofOther] = [listen(one), listen(other)];
    await Promise.all([announce(one, 'here'), announce(other, 'there')]);
    await Promise.all([ofOne.shows(one, 'here'), ofOther.shows(other, 'there')]);
    expect(await figures()).toMatchObject({ upstreams: 2, groups: 2 });
    expect(ofOne.updates.some((users) => users.has(other.id))).toBe(false);
  });

  it('continue while another service is down, whose fields are null with an error', async () => {
    await subscribersHaveLeft();
    const [one] = (await people(1, await newGym())) as [Person];
    const events = subscribe(platform.url('gateway'), ONLINE, {}, one.token);
    open.push(events);
    await events.next();
    await platform.running('identity').stop();
    await announce(one, 'alone');
    const { data, errors } = await events.next();
    expect(data).toEqual({
      onlineUsersUpdated: { users: [{ status: 'AVAILABLE', activity: 'alone', user: null }] },
    });
    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
    await platform.restart('identity');
    await announce(one, 'with others');
    expect((await events.next()).errors).toBeUndefined();
  });

  it("use another member's token if the member whose token was used has left", async () => {
    await subscribersHaveLeft();
    const members = await people(3, await newGym());
    const [first, second, third] = members as [Person, Person, Person];
    const [a, b] = [listen(first), listen(second)];
    await announce(first, 'there');
    await Promise.all([a.shows(first, 'there'), b.shows(first, 'there')]);
    await a.subscription.close();
    // The first member's session ends, so that their token is refused from now on.
    await platform.rest('identity', 'POST', '/auth/logout', { token: first.token, body: {} });
    const c = listen(third);
    await announce(second, 'still there');
    await Promise.all([b.shows(second, 'still there'), c.shows(second, 'still there')]);
    expect((await figures()).upstreams).toBe(1);
    // A member whose session ends while they are subscribed gets no more events after 5 s.
    const closed = new Promise<number>((resolve) =>
      c.subscription.client.on('closed', (event) => resolve((event as { code: number }).code)),
    );
    const loggedOutAt = Date.now();
    await platform.rest('identity', 'POST', '/auth/logout', { token: third.token, body: {} });
    expect(await closed).toBe(4403);
    // The close comes after 5 s, or later on a busy machine; without the check it would come when the token expires.
    expect(Date.now() - loggedOutAt).toBeLessThan(withinOnThisMachine(30_000));
    await announce(second, 'alone');
    await b.shows(second, 'alone');
  });
});

describe('a client that stops reading', () => {
  it('loses its subscription if too many results wait; other clients are not affected', async () => {
    await subscribersHaveLeft();
    const members = await people(16, await newGym());
    const [one, other] = members as [Person, Person];
    // Large results, so that the buffers of the kernel are full soon.
    await Promise.all(members.map((who) => announce(who, 'x'.repeat(140))));
    const query = ONLINE.replace(
      '{ users',
      `{ ${Array.from({ length: 25 }, (_one, index) => `u${index}: users { activity user { id } }`).join(' ')} users`,
    );
    await announce(one, 'there');
    const reading = listen(other, query);
    const socket = new WebSocket(
      `${platform.url('gateway').replace('http', 'ws')}/graphql`,
      'graphql-transport-ws',
    );
    const messages: { type: string; payload?: unknown }[] = [];
    const ended = new Promise<void>((resolve) => {
      socket.on('message', (text: Buffer) => {
        const message = JSON.parse(text.toString()) as { type: string; payload?: unknown };
        messages.push(message);
        if (message.type === 'connection_ack')
          socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query } }));
        if (message.type === 'next' && messages.length === 2) socket.pause();
        if (message.type === 'error') resolve();
      });
    });
    socket.on('open', () =>
      socket.send(
        JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${one.token}` } }),
      ),
    );
    await reading.shows(one, 'there');
    while ((await figures()).subscribers < 2 || messages.length < 2) await new Promise(setImmediate);
    let round = 0;
    while (round % 20 > 0 || (await figures()).subscribers === 2) {
      round += 1;
      await announce(one, `round ${round}`);
      await reading.shows(one, `round ${round}`);
    }
    expect(round).toBeGreaterThan(100);
    socket.resume();
    await ended;
    expect(messages.at(-1)).toMatchObject({
      payload: [{ extensions: { code: 'SUBSCRIPTION_SLOW_CONSUMER' } }],
    });
    expect(messages.length).toBeLessThan(round);
    socket.terminate();
  });
});

describe('the unfiltered view of an audience', () => {
  const closeCode = (connectionParams: Record<string, string>) =>
    new Promise<number>((resolve) => {
      const client = createClient({
        url: `${platform.url('squad').replace('http', 'ws')}/graphql`,
        webSocketImpl: WebSocket,
        lazy: false,
        retryAttempts: 0,
        onNonLazyError: () => undefined,
        connectionParams,
      });
      client.on('closed', (event) => resolve((event as { code: number }).code));
    });

  it('is sent to the gateway only', async () => {
    const maya = await platform.demo('maya@iron.test');
    const client = createClient({
      url: `${platform.url('squad').replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      retryAttempts: 0,
      connectionParams: { Authorization: `Bearer ${maya}` },
    });
    const answer = await client
      .iterate({
        query: 'subscription { onlineUsersUpdated { seq } }',
        extensions: { audience: { id: 'mine' } },
      })
      .next()
      .catch((error: unknown) => error);
    expect(answer).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
    await client.dispose();
    expect(await closeCode({ gateway: `Bearer ${maya}` })).toBe(4403);
    expect(await closeCode({ gateway: `Bearer ${await platform.serviceToken('gym')}` })).toBe(4403);
  });
});
