import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openDatabase } from '#server/database/database.ts';
import { database } from '../../subgraphs/content/database.ts';
import { libraryExerciseId } from '../../subgraphs/content/exercises/library-exercise.ts';
import { testRun } from '../support/test-run.ts';

const { server, runId } = testRun.current();

const [erased, described, ofGym, custom] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
const library = libraryExerciseId('Push-Up');
const routine = randomUUID();
const owner = randomUUID();

describe('a database in which accounts were erased by the previous release', () => {
  let orm: Awaited<ReturnType<typeof openDatabase>>;
  const run = <Row>(statement: string, params: unknown[] = []) =>
    orm.em.fork().execute<Row[]>(statement, params);
  const addExercise = (row: object) =>
    run(
      `insert into exercise (id, gym_id, owner_id, is_private, description, deleted_at, name, aliases, instructions,
         primary_muscles, secondary_muscles, equipment, level, category, modality, created_at, updated_at)
       select id, gym_id, owner_id, coalesce(is_private, false), description, deleted_at, 'Move', '["Alias"]', '["Step"]',
         '["chest"]', '[]', 'none', 'Beginner', 'strength', 'WEIGHT_REPS', now(), now()
       from jsonb_populate_record(null::exercise, ?::jsonb)`,
      [JSON.stringify(row)],
    );

  beforeAll(async () => {
    const name = `${runId}_${randomBytes(5).toString('hex')}`;
    const index = database.migrations.findIndex((migration) => migration.name.endsWith('erased_owners'));
    orm = await openDatabase(
      { ...database, migrations: database.migrations.slice(0, index) },
      { server, name },
    );
    const deleted = { deleted_at: '2026-02-01T00:00:00Z' };
    await addExercise({ id: erased, ...deleted });
    await addExercise({ id: described, description: 'By a SUPER_ADMIN', ...deleted });
    await addExercise({ id: ofGym, gym_id: randomUUID(), ...deleted });
    await addExercise({ id: custom, owner_id: owner, is_private: true });
    await run('update exercise set deleted_at = now(), description = null where id = ?', [library]);
    await run(
      `insert into workout_routine (id, owner_id, gym_id, title, difficulty, category, target_muscles, equipment, exercises, duration_minutes, created_at, updated_at)
       values (?, ?, ?, 'Plan', 'Beginner', 'Strength', '[]', '[]', '[]', 1, now(), now())`,
      [routine, owner, randomUUID()],
    );
    await run(
      `insert into workout_routine_version (routine_id, version, content, created_at) values (?, 1, jsonb_build_object('title', 'Plan', 'ownerId', ?::text), now())`,
      [routine, owner],
    );
    await orm.close(true);
    orm = await openDatabase(database, { server, name });
  });
  afterAll(() => orm.close(true));

  test('hides the exercises that were kept without their owner, and no others', async () => {
    const rows = await run<{ id: string; hidden: boolean; aliases: string[]; instructions: string[] }>(
      'select id, is_private as hidden, aliases, instructions from exercise where id in (?)',
      [[erased, described, ofGym, custom, library]],
    );
    const stateOf = (id: string) => {
      const row = rows.find((one) => one.id === id);
      return [row?.hidden, row?.aliases.length === 0, row?.instructions.length === 0];
    };
    expect(stateOf(erased)).toEqual([true, true, true]);
    expect([described, ofGym].map(stateOf)).toEqual([
      [false, false, false],
      [false, false, false],
    ]);
    expect(stateOf(custom)).toEqual([true, false, false]);
    expect(stateOf(library)).toEqual([false, expect.any(Boolean), false]);
  });

  test('removes the owners from the stored versions', async () => {
    expect(await run('select content from workout_routine_version where routine_id = ?', [routine])).toEqual([
      { content: { title: 'Plan' } },
    ]);
  });

  test('still refuses a private exercise without an owner that is not deleted', async () => {
    await expect(addExercise({ id: randomUUID(), is_private: true })).rejects.toThrow('exercise_private');
  });
});
