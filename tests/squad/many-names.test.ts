import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { squadAccountPart } from '../../subgraphs/squad/accounts/account-part.ts';
import { eraseUser } from '../../subgraphs/squad/accounts/erase-user.ts';
import { MemoryHub } from '../../subgraphs/squad/hub.memory.ts';
import { users } from '../../subgraphs/squad/users/user.journal.ts';
import { rulesOf } from './invite-interleavings/world.ts';
import { databaseStore, fileStore, type Store } from './journals/stores.ts';

/** More squads than the journal of a user lists. */
const MANY = 5_100;

describe.each([
  ['files', fileStore],
  ['PostgreSQL', () => databaseStore([undefined])],
])('a user who is named in very many journals, in %s', (_name, open) => {
  let store: Store;
  beforeAll(async () => {
    store = await open();
  });
  afterAll(() => store.close());

  const journals = () => store.instances[0]!;
  const act = async <Result>(
    userId: string,
    action: (rules: ReturnType<typeof rulesOf>) => Promise<Result>,
  ): Promise<Result> => {
    const rules = rulesOf(userId, journals());
    return action(rules).finally(() => rules.dispose());
  };
  /** Names the user in many past squads: their journals have been removed, only the user's journal still lists them. */
  const nameInMany = async (userId: string): Promise<void> => {
    const ids = Array.from(
      { length: MANY },
      (_value, index) => `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`,
    );
    await journals()
      .of(users)
      .change(userId, () => ids.map((squadId) => ({ type: 'entered', squadId, gymId: '' })));
  };
  /** Maya's first squad, in which Leo was, and then more names than the journal of Maya lists. */
  const withFirstSquad = async () => {
    const [maya, leo] = [randomUUID(), randomUUID()];
    const { squadId } = await act(maya, ({ invites }) => invites.send({ toUserId: leo }));
    await act(leo, ({ squads }) => squads.join({ squadId }));
    await nameInMany(maya);
    for (let count = 0; count < 2; count += 1)
      await act(maya, ({ invites }) => invites.send({ toUserId: randomUUID() }));
    return { maya, leo, squadId };
  };

  test('is erased from the first of them, too', async () => {
    const { maya, leo, squadId } = await withFirstSquad();
    expect(await store.stored('squads', squadId)).toContain(maya);
    const hub = new MemoryHub({ graceMillis: 1_000 }, journals());
    expect(await eraseUser(hub, maya)).toMatchObject({ outcome: 'ANONYMISED' });
    expect(await store.stored('squads', squadId)).not.toContain(maya);
    expect(await store.stored('users', leo)).not.toContain(maya);
    expect(await store.stored('names', `${maya}-0`)).not.toContain(leo);
  }, 120_000);

  test('has the first of them in the export of their data', async () => {
    const { maya, squadId } = await withFirstSquad();
    const hub = new MemoryHub({ graceMillis: 1_000 }, journals());
    const { squads } = squadAccountPart(undefined as never, hub).records;
    expect(await squads!(maya, undefined, 10)).toMatchObject([{ record: { squadId } }, {}]);
  }, 120_000);

  test('lists no user who was erased meanwhile', async () => {
    const { maya, leo } = await withFirstSquad();
    expect(await store.stored('names', `${maya}-0`)).toContain(leo);
    await eraseUser(new MemoryHub({ graceMillis: 1_000 }, journals()), leo);
    expect(await store.stored('users', maya)).not.toContain(leo);
    expect(await store.stored('names', `${maya}-0`)).not.toContain(leo);
  }, 120_000);

  test('has a journal of a bounded length', async () => {
    const { maya } = await withFirstSquad();
    const { namedIn, namePages } = await journals().of(users).read(maya);
    expect([namePages, namedIn.squads.length, namedIn.users.length]).toEqual([1, 1, 2]);
  }, 120_000);
});
