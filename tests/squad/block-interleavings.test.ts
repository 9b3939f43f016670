import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Journals } from '../../subgraphs/squad/storage/journal.ts';
import { squads, type SquadState } from '../../subgraphs/squad/squads/squad.journal.ts';
import { takesPart } from '../../subgraphs/squad/squads/squad-rights.ts';
import { eraseUser } from '../../subgraphs/squad/accounts/erase-user.ts';
import { MemoryHub } from '../../subgraphs/squad/hub.memory.ts';
import { users } from '../../subgraphs/squad/users/user.journal.ts';
import { rulesOf } from './invite-interleavings/world.ts';
import { databaseStore, fileStore, type Store } from './journals/stores.ts';
import { randomOf, Scheduler } from './support/scheduler.ts';

type Rules = ReturnType<typeof rulesOf>;
/** One request of a user. */
type Act = readonly [userId: string, act: (rules: Rules, journals: Journals) => Promise<unknown>];

/**
 * The numbers are those of random orders (seeds): for most tests, and for the test of a join, whose three requests have
 * more orders.
 */
describe.each([
  ['one instance with files', fileStore, 30, 100],
  ['two instances with PostgreSQL', () => databaseStore([undefined, undefined]), 10, 20],
])('blocks in random orders of steps, at %s', (_where, open, seeds, seedsOfJoin) => {
  let store: Store;
  beforeAll(async () => {
    store = await open();
  });
  afterAll(() => store.close());

  const journalsAt = (index: number) => store.instances[index % store.instances.length] as Journals;
  const user = (id: string) => journalsAt(0).of(users).read(id);
  const inOrder = async <Result>(id: string, act: (rules: Rules) => Promise<Result>): Promise<Result> => {
    const rules = rulesOf(id, journalsAt(0));
    return act(rules).finally(() => rules.dispose());
  };
  /** Runs the requests at the same time. */
  const atOnce = async (seed: number, acts: readonly Act[]): Promise<void> => {
    const scheduler = new Scheduler(randomOf(seed));
    await scheduler.run(
      acts.map(([id, act], index) => {
        const journals = scheduler.journalsOf(`request ${index}`, journalsAt(index));
        const rules = rulesOf(id, journals);
        return async () => {
          await act(rules, journals).catch(() => undefined); // a refusal is an answer, too
          await rules.dispose();
        };
      }),
    );
  };
  /** Creates a squad of the host with these participants. @returns its id */
  const squadOf = async (hostId: string, ...guestIds: string[]): Promise<string> => {
    const { id: squadId } = await inOrder(hostId, ({ squads: rules }) => rules.create({}));
    for (const toUserId of guestIds) {
      await inOrder(hostId, ({ invites }) => invites.send({ toUserId, squadId }));
      await inOrder(toUserId, ({ squads: rules }) => rules.join({ squadId }));
    }
    return squadId;
  };

  test('a block and an unblock at the same time leave a whole block or none', async () => {
    for (let seed = 1; seed <= seeds; seed += 1) {
      const [maya, leo] = [randomUUID(), randomUUID()];
      if (seed % 2) await inOrder(maya, ({ blocks }) => blocks.block(leo));
      const acts = seed % 3 ? (['block', 'unblock'] as const) : (['unblock', 'block', 'unblock'] as const);
      await atOnce(
        seed,
        acts.map((act): Act => [maya, ({ blocks }) => blocks[act](leo)]),
      );
      const { blocked } = await user(maya);
      const { blockedBy } = await user(leo);
      expect([seed, blockedBy.includes(maya)]).toEqual([seed, blocked.includes(leo)]);
    }
  });

  test('an unblock writes nothing into the journal of a user who was not blocked', async () => {
    const [maya, leo, ben] = [randomUUID(), randomUUID(), randomUUID()];
    await inOrder(maya, ({ blocks }) => blocks.block(ben));
    await inOrder(maya, ({ blocks }) => blocks.unblock(leo));
    expect(await store.stored('users', leo)).not.toContain(maya);
  });

  test('a user who is erased while they unblock another user is not in the journal of that user afterwards', async () => {
    for (let seed = 1; seed <= seeds; seed += 1) {
      const [maya, leo] = [randomUUID(), randomUUID()];
      await inOrder(maya, ({ blocks }) => blocks.block(leo));
      const hub = (journals: Journals) => new MemoryHub({ graceMillis: 1_000 }, journals);
      await atOnce(seed, [
        [maya, ({ blocks }) => blocks.unblock(leo)],
        [maya, (_rules, journals) => eraseUser(hub(journals), maya)],
      ]);
      expect([seed, await store.stored('users', leo)]).not.toEqual([seed, expect.stringContaining(maya)]);
    }
  });

  test('an invite that is sent during the block by its receiver or sender is not open afterwards', async () => {
    for (let seed = 1; seed <= seeds; seed += 1) {
      const [maya, leo] = [randomUUID(), randomUUID()];
      const squadId = await squadOf(maya);
      const block: Act =
        seed % 2 ? [leo, ({ blocks }) => blocks.block(maya)] : [maya, ({ blocks }) => blocks.block(leo)];
      await atOnce(seed, [[maya, ({ invites }) => invites.send({ toUserId: leo, squadId })], block]);
      const squad = (await journalsAt(0).of(squads).read(squadId)) as SquadState;
      const copies = [...(await user(maya)).sent, ...(await user(leo)).received];
      const pending = [...squad.invites, ...copies].filter(({ status }) => status === 'PENDING');
      expect([seed, pending]).toEqual([seed, []]);
    }
  });

  test('a user does not join a squad with a user who has blocked them again after an unblock', async () => {
    for (let seed = 1; seed <= seedsOfJoin; seed += 1) {
      const [maya, leo, ben] = [randomUUID(), randomUUID(), randomUUID()];
      const squadId = await squadOf(ben, maya);
      await inOrder(ben, ({ invites }) => invites.send({ toUserId: leo, squadId }));
      await inOrder(maya, ({ blocks }) => blocks.block(leo));
      await atOnce(seed, [
        [maya, ({ blocks }) => blocks.unblock(leo)],
        [maya, ({ blocks }) => blocks.block(leo)],
        [leo, ({ squads: rules }) => rules.join({ squadId })],
      ]);
      const { blocked } = await user(maya);
      const squad = (await journalsAt(0).of(squads).read(squadId)) as SquadState;
      const areTogether = takesPart(squad, leo) && takesPart(squad, maya);
      expect([seed, blocked.includes(leo) && areTogether]).toEqual([seed, false]);
    }
  });
});

test('a block stays in both journals, however many other users block the same user later', async () => {
  const store = await fileStore();
  const [journals] = store.instances as [Journals];
  const [anna, ben, cleo] = [randomUUID(), randomUUID(), randomUUID()];
  const act = async <Result>(userId: string, action: (rules: Rules) => Promise<Result>): Promise<Result> => {
    const rules = rulesOf(userId, journals);
    return action(rules).finally(() => rules.dispose());
  };
  await act(anna, ({ blocks }) => blocks.block(ben));
  const others = Array.from({ length: 25_000 }, () => randomUUID());
  await journals.of(users).rewrite(ben, (user) => ({
    ...user,
    blockedBy: [...user.blockedBy, ...others],
    blockedByAsOf: { ...user.blockedByAsOf, ...Object.fromEntries(others.map((id, at) => [id, at + 1])) },
  }));
  await act(cleo, ({ blocks }) => blocks.block(ben));
  const { blockedBy, blockedByAsOf } = await journals.of(users).read(ben);
  expect(blockedBy).toEqual([anna, ...others, cleo]);
  expect(Object.keys(blockedByAsOf)).toHaveLength(blockedBy.length);
  await expect(act(ben, ({ invites }) => invites.send({ toUserId: anna }))).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  // The moments of users who no longer block them have a limit: 20,000 beside that of Anna, who still does.
  await journals.of(users).rewrite(ben, (user) => ({ ...user, blockedBy: [anna] }));
  await act(cleo, ({ blocks }) => blocks.unblock(ben));
  await act(cleo, ({ blocks }) => blocks.block(ben));
  const after = await journals.of(users).read(ben);
  expect(after.blockedBy).toEqual([anna, cleo]);
  expect(Object.keys(after.blockedByAsOf)).toHaveLength(20_001);
  expect(after.blockedByAsOf).toMatchObject({ [anna]: expect.any(Number), [cleo]: expect.any(Number) });
  await store.close();
});
