import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { eventually } from '../support/eventually.ts';
import { book, newClass } from '../gym/class-support.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { socketOf } from './support/people.ts';
import { withinOnThisMachine } from '../support/slow-machine.ts';

let platform: TestPlatform;
let staff: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym', 'squad'] });
  staff = await platform.demo('admin@iron.test');
});
afterAll(() => platform.stop());

it('a change of a class session reaches the sockets of the gym within a second, and no other sockets', async () => {
  const [maya, zoe] = [await platform.register(), await platform.register(DEMO_GYMS.aquaClub.id)];
  const [socket, foreign] = [await socketOf(platform, maya), await socketOf(platform, zoe)];
  try {
    const seen: unknown[] = [];
    foreign.on('class_session_changed', (data) => seen.push(data));
    const received: { session: { id: string; booked: number; title: string } }[] = [];
    socket.on('class_session_changed', (data) => received.push(data));
    const { gymClass, session } = await newClass(platform, staff);
    await eventually(async () => received.some((data) => data.session.id === session.id));
    const begunAt = performance.now();
    await book(platform, maya.token, session.id);
    const changed = await eventually(async () =>
      received.find((data) => data.session.id === session.id && data.session.booked === 1),
    );
    expect(performance.now() - begunAt).toBeLessThan(withinOnThisMachine(1_000));
    expect(changed.session).toEqual({
      id: session.id,
      classId: gymClass.id,
      gymId: DEMO_GYMS.ironTemple.id,
      locationId: gymClass.locationId,
      title: gymClass.title,
      startsAt: session.startsAt,
      endsAt: session.endsAt,
      capacity: 2,
      booked: 1,
      waiting: 0,
      status: 'SCHEDULED',
    });
    expect(JSON.stringify(received)).not.toContain(maya.id);
    expect(seen).toEqual([]);
  } finally {
    await socket.close();
    await foreign.close();
  }
});
