import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { SERVICE_NAMES } from '#server/settings.ts';
import { book, cancel, newClass, storedMembers } from '../gym/class-support.ts';
import { newLocation } from '../gym/support.ts';
import { startPlatform, type TestPlatform, type Untyped } from '../support/platform.ts';
import { connectAgent, textOf } from './support.ts';

let platform: TestPlatform;
let staff: string;
beforeAll(async () => {
  platform = await startPlatform({ services: SERVICE_NAMES, gateway: true });
  staff = await platform.demo('admin@iron.test');
});
afterAll(() => platform.stop());

it('the tool `me` returns the bookings of coming classes, the earliest first, and how early they can be cancelled', async () => {
  const { token } = await platform.register();
  const sessions: string[] = [];
  for (const inHours of [72, 24, 48])
    sessions.push((await newClass(platform, staff, { inHours, cancelBeforeMinutes: 90 })).session.id);
  const [third = '', first = '', cancelled = ''] = sessions;
  for (const id of [third, first]) await book(platform, token, id);
  await cancel(platform, token, (await book(platform, token, cancelled)).body.id);
  const agent = await connectAgent(platform, token);
  const { nodes } = (await agent.call('me')).me.bookings;
  await agent.close();
  expect(nodes.map(({ session }: Untyped) => session.id)).toEqual([first, third]);
  expect(nodes[0].session.class.cancelBeforeMinutes).toBe(90);
});

it('the tool `gym_news` returns announcements, posts and activities', async () => {
  const { token } = await platform.register();
  const [title, text, name] = [randomUUID(), randomUUID(), randomUUID()];
  const rest = (service: 'gym' | 'squad', path: string, by: string, body: object) =>
    platform.rest(service, 'POST', path, { token: by, body });
  await rest('gym', '/announcements', staff, { title, text });
  await rest('gym', '/posts', token, { text });
  await rest('squad', '/groups', token, { name });
  const agent = await connectAgent(platform, token);
  const { announcements, feed } = await agent.call('gym_news');
  await agent.close();
  expect(announcements).toContainEqual(expect.objectContaining({ title, text }));
  expect(feed.nodes).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ kind: 'POST', text }),
      expect.objectContaining({ kind: 'ANNOUNCEMENT', title }),
      expect.objectContaining({ kind: 'GROUP_CREATED', text: expect.stringContaining(name) }),
    ]),
  );
});

it('the names of 800 people inside fit into the result of `people_inside`, and a result that is too large says how to read less', async () => {
  const locationId = await newLocation(platform, staff, { capacity: 1_000 });
  const people = await storedMembers(platform, 800);
  await platform.sql(
    'gym',
    `insert into check_in (id, user_id, gym_id, location_id, checked_in_at, expires_at, method, checked_in_by)
     select gen_random_uuid(), person, $2, $3, now(), now() + interval '1 hour', 'QR', person
     from unnest($1::uuid[]) as person`,
    [people, DEMO_GYMS.ironTemple.id, locationId],
  );
  const agent = await connectAgent(platform, staff);
  const { location } = await agent.call('people_inside', { locationId, times: false });
  const whole = await agent.client.callTool({ name: 'people_inside', arguments: { locationId } });
  await agent.close();
  expect(location.people).toHaveLength(800);
  expect(location.people[0]).toEqual({ user: { displayName: expect.any(String) } });
  expect([whole.isError, textOf(whole)]).toEqual([
    true,
    expect.stringMatching(/has \d+ bytes.* Use narrower arguments to read less: times\./),
  ]);
});

it('a description of a required argument names no default, and no description names an argument that the tool does not have', async () => {
  const files = await readdir('gateway/agents/operations');
  const agent = await connectAgent(platform, await platform.demo('super@demo.test'));
  const { tools } = await agent.client.listTools();
  await agent.close();
  expect(tools.map(({ name }) => `${name}.graphql`).toSorted()).toEqual(files.toSorted());
  const wrong: unknown[] = [];
  for (const { name, inputSchema } of tools) {
    const { properties = {}, required = [] } = inputSchema as {
      properties?: Record<string, { description?: string }>;
      required?: string[];
    };
    for (const [argument, { description = '' }] of Object.entries(properties)) {
      const named = [...description.matchAll(/\b(?:with|without|see|noon of) `(\w+)`/gi)].map(
        ([, word = '']) => word,
      );
      const unknown = named.filter((word) => !Object.hasOwn(properties, word));
      const hasDefault = required.includes(argument) && /\bdefault:/i.test(description);
      if (unknown.length > 0 || hasDefault) wrong.push({ name, argument, description });
    }
  }
  expect(wrong).toEqual([]);
});
