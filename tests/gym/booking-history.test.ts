import { expect, it } from '@jest/globals';
import { contradictionIn, type Call } from './booking-history.ts';

const call = (
  kind: Call['kind'],
  id: string,
  status: string,
  position: number | null,
  [begunAt, endedAt]: [number, number],
): Call => ({
  kind,
  userId: id,
  begunAt,
  endedAt,
  booking: { id, status, position },
});
const changed = (id: string, status: string) => ({ type: 'booking.changed', data: { id, status } });
const step = (...bookings: object[]) => [...bookings, { type: 'class_session.changed', data: {} }];

const CALLS = [
  call('book', 'a', 'BOOKED', null, [0, 1]),
  call('book', 'b', 'WAITING', 1, [2, 3]),
  call('book', 'c', 'WAITING', 2, [4, 5]),
  call('cancel', 'a', 'CANCELLED', null, [6, 7]),
];
const EVENTS = [
  ...step(changed('a', 'BOOKED')),
  ...step(changed('b', 'WAITING')),
  ...step(changed('c', 'WAITING')),
  ...step(changed('b', 'BOOKED'), changed('a', 'CANCELLED')),
];

it('a history in the order of arrival has no contradiction', () => {
  expect(contradictionIn(CALLS, EVENTS, 1)).toBeUndefined();
});

it('a promotion out of the order of arrival is found', () => {
  const events = [...EVENTS.slice(0, 6), ...step(changed('c', 'BOOKED'), changed('a', 'CANCELLED'))];
  expect(contradictionIn(CALLS, events, 1)).toMatch(/expected the promotion of b, got c/);
});

it('a waiting list that contradicts the times of the calls is found', () => {
  const [a, b, c, cancelled] = CALLS as [Call, Call, Call, Call];
  const calls = [a, { ...b, begunAt: 4, endedAt: 5 }, { ...c, begunAt: 2, endedAt: 3 }, cancelled];
  expect(contradictionIn(calls, EVENTS, 1)).toMatch(/ended before an earlier step began/);
});

it('a place too many, and a lost cancellation, are found', () => {
  const [a, b] = CALLS as [Call, Call];
  const double = [a, { ...b, booking: { id: 'b', status: 'BOOKED', position: null } }];
  expect(contradictionIn(double, EVENTS.slice(0, 4), 1)).toMatch(/expected WAITING 1/);
  expect(contradictionIn(CALLS, EVENTS.slice(0, 6), 1)).toMatch(/4 calls were not refused, but 3/);
});
