import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startPlatform, type TestPlatform, type Untyped } from '../support/platform.ts';
import { selectsDuring } from '../support/statements.ts';
import { book, newClass, storedMembers } from './class-support.ts';
import { newLocation, newMember } from './support.ts';

let platform: TestPlatform;
let staff: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  staff = await platform.demo('admin@iron.test');
});
afterAll(() => platform.stop());

/** The number of SELECT statements on bookings that an operation causes, and the data of its answer. */
async function statements(query: string, variables: object, token: string): Promise<[number, Untyped]> {
  let answer: Untyped;
  const sent = await selectsDuring(async () => {
    const { data, errors } = await platform.graph('gym', query, variables, { token });
    expect(errors).toBeUndefined();
    answer = data;
  });
  // Leaves out the statements of jobs, which read bookings together with check-ins.
  return [sent.filter((text) => /\bbooking\b/.test(text) && !text.includes('check_in')).length, answer];
}

it('the bookings of many users are read by one statement', async () => {
  const { session } = await newClass(platform, staff, { capacity: 20 });
  const members = await storedMembers(platform, 12);
  for (const userId of members) await book(platform, staff, session.id, { userId });
  const query = `query ($of: [_Any!]!) { _entities(representations: $of) { ... on User { id bookings(first: 2) { nodes { status } } } } }`;
  const read = (ids: string[]) =>
    statements(query, { of: ids.map((id) => ({ __typename: 'User', id })) }, staff);
  const [few] = await read(members.slice(0, 2));
  const [many, data] = await read(members);
  expect([few, many]).toEqual([1, 1]);
  for (const { bookings } of data._entities) expect(bookings.nodes).toEqual([{ status: 'BOOKED' }]);
});

it("a member's bookings of a page of sessions are read by one statement, in the graph and by REST", async () => {
  const locationId = await newLocation(platform, staff, { capacity: 20, timezone: 'UTC' });
  const { sessions } = await newClass(platform, staff, { locationId, rrule: 'FREQ=DAILY;COUNT=9' });
  const maya = await newMember(platform);
  await book(platform, maya.token, sessions[4].id);
  const query = `query ($id: ID!) { classSessions(locationId: $id) { nodes { id class { title } myBooking { status } } } }`;
  const [count, data] = await statements(query, { id: locationId }, maya.token);
  expect(count).toBe(1);
  const own = data.classSessions.nodes.filter(({ myBooking }: Untyped) => myBooking);
  expect(own).toEqual([{ id: sessions[4].id, class: expect.anything(), myBooking: { status: 'BOOKED' } }]);
  const sent = await selectsDuring(async () => {
    const path = `/class-sessions?locationId=${locationId}`;
    const { body } = await platform.rest('gym', 'GET', path, { token: maya.token });
    expect(body.map(({ myBooking }: Untyped) => myBooking?.status ?? null)[4]).toBe('BOOKED');
  });
  expect(sent.filter((text) => /from booking\b/.test(text) && !text.includes('check_in'))).toHaveLength(1);
});
