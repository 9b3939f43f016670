import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ANONYMOUS } from '#server/auth/viewer.ts';
import { openDatabase, type DatabaseDeclaration } from '#server/database/database.ts';
import { createLogger } from '#server/observability/logger.ts';
import { DatabaseSagaStore } from '#server/saga/saga-store.database.ts';
import { MemorySagaStore } from '#server/saga/saga-store.memory.ts';
import { sagaEntities, sagaMigrations } from '#server/saga/saga-tables.ts';
import { NO_ORIGIN, UnitOfWork } from '#server/unit-of-work.ts';
import { cloneDatabase } from '../support/database.ts';
import { SagaWorld, type SagaWorldOptions } from '../support/saga-world/saga-world.ts';

const SEEDS = Number(process.env.SIMULATION_SEEDS ?? 2_000);
/** The simulations in a database are fewer by this factor, because statements take time. */
const DATABASE_SHARE = 100;
const FIRST_SEED = Number(process.env.SIMULATION_FIRST_SEED ?? 1);
const log = createLogger('sagas', 'silent');

/** Returns the first seed that fails, with its violations; undefined if none fails. */
async function firstFailure(
  count: number,
  options: (seed: string) => Omit<SagaWorldOptions, 'seed' | 'log'>,
): Promise<string | undefined> {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + count; seed += 1) {
    const wrong = await new SagaWorld({ seed: `${seed}`, log, ...options(`${seed}`) }).run();
    if (wrong.length > 0)
      return `SIMULATION_FIRST_SEED=${seed} SIMULATION_SEEDS=1: ${wrong.slice(0, 3).join('; ')}`;
  }
  return undefined;
}

describe('every saga ends in a state that matches the services, in spite of crashes and lost requests', () => {
  it(`in memory (${SEEDS} simulations)`, async () => {
    const unitOf = () => new UnitOfWork(undefined, ANONYMOUS, log, NO_ORIGIN);
    const failure = await firstFailure(SEEDS, () => ({
      unitOf,
      storeOf: (now) => new MemorySagaStore(unitOf, now),
    }));
    expect(failure).toBeUndefined();
  });

  describe('in a database', () => {
    const declaration: DatabaseDeclaration = {
      name: 'platform_sagas',
      entities: sagaEntities,
      migrations: sagaMigrations,
    };
    let unitOf: () => UnitOfWork;
    let close: () => Promise<void>;
    beforeAll(async () => {
      const { server, name } = await cloneDatabase(declaration);
      const orm = await openDatabase(declaration, { server, name, migrate: false });
      unitOf = () => new UnitOfWork(orm, ANONYMOUS, log, NO_ORIGIN);
      close = () => orm.close(true);
    });
    afterAll(() => close());

    it(`(${Math.ceil(SEEDS / DATABASE_SHARE)} simulations)`, async () => {
      const failure = await firstFailure(Math.ceil(SEEDS / DATABASE_SHARE), () => ({
        unitOf,
        storeOf: () => new DatabaseSagaStore(unitOf),
      }));
      expect(failure).toBeUndefined();
    });
  });
});
