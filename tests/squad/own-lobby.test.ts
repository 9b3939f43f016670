import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { squads } from '../../subgraphs/squad/squads/squad.journal.ts';
import type { Journals } from '../../subgraphs/squad/storage/journal.ts';
import { users } from '../../subgraphs/squad/users/user.journal.ts';
import { gymId, rulesOf } from './invite-interleavings/world.ts';
import { databaseStore, fileStore, type Store } from './journals/stores.ts';
import { randomOf, Scheduler } from './support/scheduler.ts';

describe.each([
  ['one instance with files', fileStore, 40],
  ['two instances with PostgreSQL', () => databaseStore([undefined, undefined]), 10],
])('invites without a squad, at %s', (_where, open, seeds) => {
  let store: Store;
  beforeAll(async () => {
    store = await open();
  });
  afterAll(() => store.close());

  const journalsAt = (index: number) => store.instances[index % store.instances.length] as Journals;
  const rulesIn = async <Result>(
    userId: string,
    ofGym: string,
    act: (rules: ReturnType<typeof rulesOf>) => Promise<Result>,
  ): Promise<Result> => {
    const rules = rulesOf(userId, journalsAt(0), ofGym);
    return act(rules).finally(() => rules.dispose());
  };
  const invite = (userId: string, ofGym: string = gymId) =>
    rulesIn(userId, ofGym, ({ invites }) => invites.send({ toUserId: randomUUID() }));

  test('use one LOBBY, also if a user sends several at the same time', async () => {
    for (let seed = 1; seed <= seeds; seed += 1) {
      const userId = randomUUID();
      const scheduler = new Scheduler(randomOf(seed));
      const usedIds: string[] = [];
      await scheduler.run(
        [0, 1, 2, 3].map((index) => {
          const rules = rulesOf(userId, scheduler.journalsOf(`sender ${index}`, journalsAt(index)));
          return async () => {
            usedIds.push((await rules.invites.send({ toUserId: randomUUID() })).squadId);
            await rules.dispose();
          };
        }),
      );
      const entered = (await journalsAt(0).of(users).read(userId)).squads;
      expect([seed, new Set(usedIds).size, entered]).toEqual([seed, 1, [usedIds[0]]]);
    }
  });

  test('use a LOBBY that was reserved before a crash, and do not open a second one', async () => {
    const userId = randomUUID();
    const journals = journalsAt(0);
    const failing: Journals = {
      listeners: 0,
      close: async () => undefined,
      of: (kind) => ({
        ...journals.of(kind),
        change: (id, decide) =>
          kind.name === squads.name
            ? Promise.reject(new Error('the process has ended'))
            : journals.of(kind).change(id, decide),
      }),
    };
    const rules = rulesOf(userId, failing);
    await expect(rules.invites.send({ toUserId: randomUUID() })).rejects.toThrow('the process has ended');
    await rules.dispose();
    const [reservedId] = (await journals.of(users).read(userId)).squads;
    expect(reservedId).toBeDefined();
    expect((await invite(userId)).squadId).toBe(reservedId);
  });

  test('open a new LOBBY once somebody else has entered the first one', async () => {
    const [userId, guestId] = [randomUUID(), randomUUID()];
    const { squadId } = await rulesIn(userId, gymId, ({ invites }) => invites.send({ toUserId: guestId }));
    await rulesIn(guestId, gymId, (rules) => rules.squads.join({ squadId }));
    const later = [await invite(userId), await invite(userId)].map((one) => one.squadId);
    expect(new Set(later).size).toBe(1);
    expect(later).not.toContain(squadId);
  });

  test('use the LOBBY of the present gym, also if the user has opened a later one at another gym', async () => {
    const [userId, otherGymId] = [randomUUID(), randomUUID()];
    const here = await invite(userId);
    const there = await invite(userId, otherGymId);
    expect(there.squadId).not.toBe(here.squadId);
    expect((await invite(userId)).squadId).toBe(here.squadId);
    expect((await invite(userId, otherGymId)).squadId).toBe(there.squadId);
  });
});
