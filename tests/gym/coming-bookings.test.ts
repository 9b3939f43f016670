import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startPlatform, type TestPlatform, type Untyped } from '../support/platform.ts';
import { selectsDuring } from '../support/statements.ts';
import { book, cancel, moveInTime, newClass } from './class-support.ts';
import { newMember, type Member } from './support.ts';

let platform: TestPlatform;
let staff: string;
/** Members with bookings of sessions in 1, 2 and 3 days, one that has begun, and one that was cancelled. */
let members: Member[];
/** The ids of the coming sessions, the earliest first. */
let coming: string[];

beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  staff = await platform.demo('admin@iron.test');
  members = await Promise.all(Array.from({ length: 2 }, () => newMember(platform)));
  const sessions = [];
  for (const inHours of [72, 24, 48, 26, 96])
    sessions.push((await newClass(platform, staff, { inHours })).session.id as string);
  const [third = '', first = '', second = '', begun = '', cancelled = ''] = sessions;
  coming = [first, second, third];
  for (const { token } of members) {
    for (const id of [third, first, second, begun]) await book(platform, token, id);
    const { body } = await book(platform, token, cancelled);
    await cancel(platform, token, body.id);
  }
  await moveInTime(platform, begun, -10);
});
afterAll(() => platform.stop());

const sessionsOf = (bookings: { sessionId: string }[]) => bookings.map(({ sessionId }) => sessionId);

it('coming bookings are those of sessions that have not begun, the earliest first, without cancelled ones; without the filter all are listed, the latest first', async () => {
  const token = members[0]?.token ?? '';
  const rest = async (query: string) => {
    const { status, body } = await platform.rest('gym', 'GET', `/bookings${query}`, { token });
    expect(status).toBe(200);
    return sessionsOf(body);
  };
  expect(await rest('?coming=true')).toEqual(coming);
  expect(await rest('?coming=true&status=BOOKED')).toEqual(coming);
  expect(await rest('?coming=true&status=CANCELLED')).toEqual([]);
  const all = await rest('');
  expect(all).toHaveLength(5);
  expect(all.slice(1, 4)).toEqual(coming.toReversed());
  expect(await rest('?coming=false')).toEqual(all);
  const graph = await platform.graph(
    'gym',
    `{ bookings(coming: true) { nodes { sessionId } } all: bookings(coming: null) { nodes { sessionId } }
       booked: bookings(coming: true, status: BOOKED) { nodes { sessionId } } }`,
    {},
    { token },
  );
  expect(graph.errors).toBeUndefined();
  expect(sessionsOf(graph.data.bookings.nodes)).toEqual(coming);
  expect(sessionsOf(graph.data.booked.nodes)).toEqual(coming);
  expect(sessionsOf(graph.data.all.nodes)).toEqual(all);
  const wrong = await platform.rest('gym', 'GET', '/bookings?coming=yes', { token });
  expect([wrong.status, wrong.body.code]).toEqual([400, 'VALIDATION_FAILED']);
});

it('coming bookings are paged, and their cursors are refused without the filter', async () => {
  const token = members[0]?.token ?? '';
  const page = (args: string) =>
    platform.graph(
      'gym',
      `{ bookings(${args}) { nodes { sessionId } pageInfo { hasNextPage endCursor } } }`,
      {},
      { token },
    );
  const first = (await page('coming: true, first: 2')).data.bookings;
  expect([sessionsOf(first.nodes), first.pageInfo.hasNextPage]).toEqual([coming.slice(0, 2), true]);
  const after = `after: "${first.pageInfo.endCursor}"`;
  const second = (await page(`coming: true, first: 2, ${after}`)).data.bookings;
  expect([sessionsOf(second.nodes), second.pageInfo.hasNextPage]).toEqual([coming.slice(2), false]);
  expect((await page(after)).errors?.[0]?.extensions.code).toBe('VALIDATION_FAILED');
});

it('the coming bookings of many users are read by one statement; staff of another gym see none of them', async () => {
  const query = `query ($of: [_Any!]!) { _entities(representations: $of) { ... on User { id bookings(coming: true, first: 2) { nodes { sessionId } } } } }`;
  const of = members.map(({ id }) => ({ __typename: 'User', id }));
  let answer: Untyped;
  const sent = await selectsDuring(async () => {
    answer = await platform.graph('gym', query, { of }, { token: staff });
  });
  expect(answer.errors).toBeUndefined();
  for (const { bookings } of answer.data._entities)
    expect(sessionsOf(bookings.nodes)).toEqual(coming.slice(0, 2));
  expect(sent.filter((text) => /\bbooking\b/.test(text) && !text.includes('check_in'))).toHaveLength(1);
  const other = await platform.demo('admin@aqua.test');
  const hidden = await platform.graph('gym', query, { of }, { token: other });
  for (const user of hidden.data._entities) expect(user?.bookings?.nodes ?? []).toEqual([]);
});
