import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { People } from '../squad/privacy-worlds/people.ts';
import { onlineListeners, type Person } from '../support/online-listeners.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { subscribe } from '../support/subscribe.ts';

/** The fields that an audience shares, without `since` and the names, which the tests do not compare. */
const QUERY = 'subscription { onlineUsersUpdated { users { status activity user { id } } removed full } }';
/** Another document with the same events at the service. */
const OTHER_QUERY = `# again\n${QUERY.replace('subscription', 'subscription Other')}`;

interface Update {
  users: { activity: string | null; user: { id: string } }[];
  removed: string[];
  full: boolean;
}
interface Recorder {
  /** All updates so far. */
  readonly updates: Update[];
  /** Waits for an update in which this user has this activity. */
  reaches(who: Person, activity: string): Promise<void>;
}

let platform: TestPlatform;
let people: People;
const { open, newGym, announce, block, unblock, figures, figureOf, subscribersHaveLeft } = onlineListeners(
  () => platform,
);

beforeAll(async () => {
  platform = await startPlatform({
    services: ['identity', 'gym', 'squad'],
    gateway: true,
    env: { SQUAD_PRESENCE_INTERVAL_MILLIS: '10', SQUAD_PRESENCE_GRACE_MILLIS: '600000' },
  });
  people = await People.of(platform);
});
afterEach(() => Promise.all(open.splice(0).map((subscription) => subscription.close())));
afterAll(() => platform.stop());

function record({ token }: Person, query = QUERY): Recorder {
  const subscription = subscribe<{ onlineUsersUpdated: Update }>(platform.url('gateway'), query, {}, token);
  open.push(subscription);
  const updates: Update[] = [];
  const waiting = new Set<() => void>();
  const read = async (): Promise<void> => {
    for (;;) {
      const { data, errors } = await subscription.next();
      if (!data || errors) throw new Error(JSON.stringify(errors));
      updates.push(data.onlineUsersUpdated);
      for (const look of waiting) look();
    }
  };
  read().catch(() => undefined);
  return {
    updates,
    reaches: ({ id }, activity) =>
      new Promise((resolve) => {
        const look = (): void => {
          const isReached = updates.some(({ users }) =>
            users.some((user) => user.user.id === id && user.activity === activity),
          );
          if (!isReached) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}

describe.each([
  { size: 'more than 100', crowd: 110, isWhole: false },
  { size: 'few', crowd: 5, isWhole: true },
])('with $size members online, a blocked member gets', ({ crowd, isWhole }) => {
  let viewer: Person;
  let twin: Person;
  let shown: Person;
  let hidden: Person;
  let marker: Person;
  let viewers: Recorder;
  let twins: Recorder;
  let marks = 0;

  /** Changes the marker's activity, and waits until viewer and twin have received this change, and so all before it. */
  async function mark(count = 1): Promise<void> {
    for (let done = 0; done < count; done += 1) {
      const activity = `mark ${(marks += 1)}`;
      await announce(marker, activity);
      await Promise.all([viewers.reaches(marker, activity), twins.reaches(marker, activity)]);
    }
  }

  beforeEach(async () => {
    await subscribersHaveLeft();
    const members = await people.newMembers(crowd + 5, await newGym());
    [viewer, twin, shown, hidden, marker] = members as [Person, Person, Person, Person, Person];
    for (const member of members) if (member !== hidden) await announce(member, 'there');
    [viewers, twins] = [record(viewer), record(twin)];
    await Promise.all([viewers.reaches(marker, 'there'), twins.reaches(marker, 'there')]);
    await mark(2);
    // Both began with the whole list; the later updates are compared.
    viewers.updates.length = 0;
    twins.updates.length = 0;
  });

  it('the same updates as another member while an offline user blocks and unblocks them', async () => {
    const listeners = await figureOf('squad', 'squad_listeners');
    for (const before of [0, 1, 3, 25]) {
      await mark(before);
      await block(hidden, viewer);
      // The service now computes the viewer's updates separately.
      expect(await figureOf('squad', 'squad_listeners')).toBe(listeners + 1);
      await mark(before);
      await unblock(hidden, viewer);
      await mark(1);
    }
    await Promise.all([announce(marker, 'at the same time'), block(hidden, viewer)]);
    await Promise.all([announce(marker, 'at the same time, too'), unblock(hidden, viewer)]);
    await mark(1);
    expect(viewers.updates.every(({ full }) => full === isWhole)).toBe(true);
    expect(viewers.updates).toEqual(twins.updates);
    // Finally the service no longer computes the viewer's updates separately.
    while ((await figureOf('squad', 'squad_listeners')) > listeners) await mark(1);
    expect(viewers.updates).toEqual(twins.updates);
  });

  it('the same updates as another member, also in a second subscription', async () => {
    for (const query of [QUERY, OTHER_QUERY]) {
      await block(hidden, viewer);
      await mark(1);
      const [seconds, others] = [record(viewer, query), record(twin, query)];
      await Promise.all([seconds.reaches(marker, `mark ${marks}`), others.reaches(marker, `mark ${marks}`)]);
      expect(seconds.updates[0]?.full).toBe(true);
      await mark(1);
      await Promise.all([seconds.reaches(marker, `mark ${marks}`), others.reaches(marker, `mark ${marks}`)]);
      expect(seconds.updates.at(-1)).toEqual(others.updates.at(-1));
      await unblock(hidden, viewer);
      await mark(1);
      await Promise.all([seconds.reaches(marker, `mark ${marks}`), others.reaches(marker, `mark ${marks}`)]);
      expect(seconds.updates.at(-1)).toEqual(others.updates.at(-1));
    }
    expect(viewers.updates).toEqual(twins.updates);
  });

  it('updates only if their list changes while a user whom they see blocks and unblocks them', async () => {
    const listed = (updates: readonly Update[]) =>
      updates.some(({ users }) => users.some(({ user }) => user.id === shown.id));
    await mark(1);
    viewers.updates.length = 0;
    await block(shown, viewer);
    await announce(shown, 'secret');
    await twins.reaches(shown, 'secret');
    await mark(1);
    expect(listed(viewers.updates)).toBe(false);
    expect(viewers.updates.length).toBe(2);
    expect(viewers.updates[0]).toMatchObject(
      isWhole ? { removed: [], full: true } : { users: [], removed: [shown.id], full: false },
    );
    await unblock(shown, viewer);
    await viewers.reaches(shown, 'secret');
    await mark(1);
    expect(viewers.updates.length).toBe(4);
    expect(viewers.updates[2]).toMatchObject(
      isWhole
        ? { removed: [], full: true }
        : { users: [{ user: { id: shown.id } }], removed: [], full: false },
    );
    expect(viewers.updates.at(-1)).toEqual(twins.updates.at(-1));
    expect((await figures()).upstreams).toBe(1);
  });
});
