import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { UserViewer } from '#server/auth/viewer.ts';
import { NO_ORIGIN, UnitOfWork } from '#server/unit-of-work.ts';
import { eraseUser } from '../../subgraphs/squad/accounts/erase-user.ts';
import { MemoryHub } from '../../subgraphs/squad/hub.memory.ts';
import { squads as squadKind } from '../../subgraphs/squad/squads/squad.journal.ts';
import { Squads } from '../../subgraphs/squad/squads/squads.ts';
import { Upkeep } from '../../subgraphs/squad/squads/upkeep.ts';
import type { JournalKind, Journals } from '../../subgraphs/squad/storage/journal.ts';
import { databaseStore, fileStore, log, type Store } from './journals/stores.ts';

const HOUR_MILLIS = 3_600_000;

describe.each([
  ['files', fileStore],
  ['PostgreSQL', () => databaseStore([undefined])],
] as const)(
  'with journals in %s, an erasure that removes a squad during an action of its last participant',
  (_name, open) => {
    let store: Store;
    let hub: MemoryHub;
    /** Runs once, after a rule has read a squad, and before it changes that squad. */
    let beforeChange: (() => Promise<unknown>) | undefined;
    let userId: string;
    let upkeep: Upkeep;
    beforeAll(async () => {
      store = await open();
      const journals = store.instances[0]!;
      hub = new MemoryHub({ graceMillis: 1_000 }, {
        of: <State, Item extends object>(kind: JournalKind<State, Item>) => {
          const of = journals.of(kind);
          return {
            ...of,
            async change(id: string, decide: (state: State) => readonly Item[]) {
              const run = kind.name === squadKind.name ? beforeChange : undefined;
              if (run) beforeChange = undefined;
              await run?.();
              return of.change(id, decide);
            },
          };
        },
        listeners: 0,
        close: () => journals.close(),
      } satisfies Journals);
    });
    beforeEach(() => void (userId = randomUUID()));
    afterEach(() => upkeep.dispose());
    afterAll(() => store?.close());

    const squadsOf = (lobbyLifetimeMillis: number): Squads => {
      upkeep = new Upkeep(hub, { hostAwayMillis: HOUR_MILLIS, lobbyLifetimeMillis });
      const viewer: UserViewer = {
        kind: 'user',
        userId,
        role: 'MEMBER',
        gymId: randomUUID(),
        sessionId: randomUUID(),
        expiresAt: Date.now() + HOUR_MILLIS,
      };
      const platform = { routine: async () => undefined, exerciseModality: async () => null };
      return new Squads(new UnitOfWork(undefined, viewer, log, NO_ORIGIN), hub, platform, upkeep);
    };
    const erase = () => eraseUser(hub, userId);

    test.each(['leave', 'start', 'end'] as const)('makes the answer to `%s` NOT_FOUND', async (action) => {
      const squads = squadsOf(HOUR_MILLIS);
      const { id: squadId } = await squads.create({});
      beforeChange = erase;
      await expect(squads[action]({ squadId })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });

    test('makes the answer to an update of the workout NOT_FOUND', async () => {
      const squads = squadsOf(HOUR_MILLIS);
      const { id: squadId } = await squads.create({});
      await squads.start({ squadId });
      beforeChange = erase;
      const update = {
        squadId,
        eventId: randomUUID(),
        exerciseId: randomUUID(),
        exerciseIndex: 0,
        setIndex: 0,
        phase: 'WORK',
      };
      await expect(squads.updateWorkout(update)).rejects.toMatchObject({
        code: 'NOT_FOUND',
        message: expect.stringContaining(squadId),
      });
    });

    test('makes the answer NOT_FOUND if the squad is read and would have ended as an abandoned LOBBY', async () => {
      const squads = squadsOf(1);
      const [squadId, gymId] = [randomUUID(), randomUUID()];
      const at = new Date(Date.now() - HOUR_MILLIS).toISOString();
      await hub.journals
        .of(squadKind)
        .change(squadId, () => [
          { type: 'created', id: squadId, gymId, hostId: userId, routineId: null, routineVersion: null, at },
        ]);
      beforeChange = () => hub.journals.of(squadKind).rewrite(squadId, () => ({ status: 'NONE' }));
      await expect(squads.get(squadId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect(beforeChange).toBeUndefined();
    });
  },
);
