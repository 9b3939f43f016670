import type { Untyped } from '../support/platform.ts';

/** One answered call of the storm. Times are in milliseconds. */
export interface Call {
  kind: 'book' | 'cancel';
  userId: string;
  begunAt: number;
  endedAt: number;
  /** The answered booking; undefined if the call was refused. */
  booking: { id: string; status: string; position: number | null } | undefined;
}

/** A change of the session: the call, and the bookings from the waiting list that got a place by it. */
interface Step {
  call: Call;
  promoted: string[];
}

/**
 * Checks that the simultaneous calls had the same results as calls one after the other, in the order of the events. It
 * replays the calls in this order with places and a waiting list, and compares every answer. It also checks that a call
 * that had ended before another one began comes before that one. So it finds a waiting list that is not in the order of
 * arrival.
 * @param events the events of the session and its bookings, in the order of the feed
 * @returns the first contradiction; undefined if there is none
 */
export function contradictionIn(
  calls: readonly Call[],
  events: readonly Untyped[],
  places: number,
): string | undefined {
  const steps = stepsOf(calls, events);
  if (typeof steps === 'string') return steps;
  return replayed(steps, places) ?? outOfTime(steps);
}

/** Finds the change that each group of events reports. The events of one change end with the event of the session. */
function stepsOf(calls: readonly Call[], events: readonly Untyped[]): Step[] | string {
  const booked = new Map(
    calls.flatMap((call) => (call.kind === 'book' && call.booking ? [[call.booking.id, call]] : [])),
  );
  const cancelled = new Map(
    calls.flatMap((call) => (call.kind === 'cancel' && call.booking ? [[call.booking.id, call]] : [])),
  );
  const known = new Set<string>();
  const steps: Step[] = [];
  let group: Untyped[] = [];
  for (const event of events) {
    if (event.type === 'booking.changed') {
      group.push(event);
      continue;
    }
    if (group.length === 0) continue; // the creation of the session
    const promoted = group
      .filter(({ data }) => known.has(data.id) && data.status === 'BOOKED')
      .map(({ data }) => data.id as string);
    const own = group.filter(({ data }) => !promoted.includes(data.id as string));
    group = [];
    if (own.length !== 1) return `expected one changed booking besides the promoted ones, got ${own.length}`;
    const { id } = own[0].data;
    const call = known.has(id) ? cancelled.get(id) : booked.get(id);
    if (!call) return `no call has changed the booking ${id}`;
    known.add(id);
    steps.push({ call, promoted });
  }
  const answered = calls.filter(({ booking }) => booking).length;
  return steps.length === answered
    ? steps
    : `${answered} calls were not refused, but ${steps.length} changes happened`;
}

function replayed(steps: readonly Step[], places: number): string | undefined {
  const withPlace = new Set<string>();
  const list: string[] = [];
  for (const [index, { call, promoted }] of steps.entries()) {
    const { id = '', status, position } = call.booking ?? {};
    const next: string[] = [];
    if (call.kind === 'book') {
      if (withPlace.size < places) withPlace.add(id);
      else list.push(id);
      const expected = withPlace.has(id) ? 'BOOKED null' : `WAITING ${list.length}`;
      if (`${status} ${position}` !== expected)
        return `step ${index}: expected ${expected}, got ${status} ${position}`;
    } else {
      if (!withPlace.delete(id)) list.splice(list.indexOf(id), 1);
      const first = withPlace.size < places ? list.shift() : undefined;
      if (first) {
        withPlace.add(first);
        next.push(first);
      }
    }
    if (promoted.join() !== next.join())
      return `step ${index}: expected the promotion of ${next.join()}, got ${promoted.join()}`;
  }
  return undefined;
}

function outOfTime(steps: readonly Step[]): string | undefined {
  let latestBegin = -Infinity;
  for (const [index, { call }] of steps.entries()) {
    if (call.endedAt < latestBegin) return `step ${index} had ended before an earlier step began`;
    latestBegin = Math.max(latestBegin, call.begunAt);
  }
  return undefined;
}
