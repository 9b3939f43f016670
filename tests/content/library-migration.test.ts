import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openDatabase } from '#server/database/database.ts';
import { database } from '../../subgraphs/content/database.ts';
import { EXERCISE_LIBRARY } from '../../subgraphs/content/exercises/exercise-library.ts';
import { libraryExerciseId } from '../../subgraphs/content/exercises/library-exercise.ts';
import { libraryStatements } from '../../subgraphs/content/exercises/library-statements.ts';
import { testRun } from '../support/test-run.ts';

const { server, runId } = testRun.current();

const MADE = '2026-01-01T00:00:00Z';
const [gymsOwn, common] = [randomUUID(), randomUUID()];
/** Rows as the first release wrote them, some of them changed or deleted by users since then. */
const BEFORE = [
  { id: libraryExerciseId('Curtsy Lunge'), name: 'Curtsy Lunge' },
  {
    id: libraryExerciseId('Box Jump'),
    name: 'Box Jump',
    version: 2,
    image: '/media/box.webp',
    updated_at: '2026-02-01T00:00:00Z',
  },
  { id: libraryExerciseId('Plank'), name: 'Our Plank', version: 2, updated_at: '2026-02-01T00:00:00Z' },
  {
    id: libraryExerciseId('Push-Up'),
    name: 'Push-Up',
    version: 2,
    updated_at: '2026-02-01T00:00:00Z',
    deleted_at: '2026-02-01T00:00:00Z',
  },
  { id: gymsOwn, name: 'Pistol Squat', gym_id: randomUUID() },
  { id: common, name: 'Common Lift' },
];

describe('a database of the previous release', () => {
  type Orm = Awaited<ReturnType<typeof openDatabase>>;
  let orm: Orm;
  const run = <Row>(statement: string, params: unknown[] = []) =>
    orm.em.fork().execute<Row[]>(statement, params);
  const row = async (id: string) =>
    (
      await run<Record<string, unknown>>(
        'select name, primary_muscles, category, instructions, version, deleted_at is not null as deleted, gym_id from exercise where id = ?',
        [id],
      )
    )[0];

  beforeAll(async () => {
    const name = `${runId}_${randomBytes(5).toString('hex')}`;
    const index = database.migrations.findIndex((migration) => migration.name.endsWith('exercise_library'));
    orm = await openDatabase(
      { ...database, migrations: database.migrations.slice(0, index) },
      { server, name },
    );
    for (const one of BEFORE) {
      const columns = {
        aliases: '[]',
        primary_muscles: '["lower back"]',
        secondary_muscles: '["lower back"]',
        equipment: 'other',
        level: 'Beginner',
        category: 'stretching',
        modality: 'BODYWEIGHT_REPS',
        created_at: MADE,
        updated_at: MADE,
        ...one,
      };
      await run(
        `insert into exercise (${Object.keys(columns).join(', ')}) values (${Object.keys(columns)
          .map(() => '?')
          .join(', ')})`,
        Object.values(columns),
      );
    }
    await orm.close(true);
    orm = await openDatabase(database, { server, name });
  });
  afterAll(() => orm.close(true));

  test('gets the whole library, each exercise with instructions', async () => {
    const rows = await run<{ id: string; name: string; instructions: string[] }>(
      `select id, name, instructions from exercise where id::text like '01900000-0e00-7%'`,
    );
    expect(rows).toHaveLength(EXERCISE_LIBRARY.length);
    expect(rows.every(({ instructions }) => instructions.length >= 3)).toBe(true);
  });

  test('gets corrected exercises, with a new version', async () => {
    expect(await row(libraryExerciseId('Curtsy Lunge'))).toMatchObject({
      primary_muscles: ['glutes', 'quadriceps'],
      category: 'strength',
      version: 2,
    });
  });

  test('gets corrections also for exercises to which only a picture was added', async () => {
    expect(await row(libraryExerciseId('Box Jump'))).toMatchObject({
      primary_muscles: ['quadriceps', 'glutes'],
      version: 3,
    });
  });

  test('keeps exercises that a SUPER_ADMIN changed or deleted, and adds missing instructions', async () => {
    expect(await row(libraryExerciseId('Plank'))).toMatchObject({
      name: 'Our Plank',
      primary_muscles: ['lower back'],
      instructions: [expect.any(String), expect.any(String), expect.any(String)],
      version: 3,
    });
    expect(await row(libraryExerciseId('Push-Up'))).toMatchObject({
      primary_muscles: ['lower back'],
      deleted: true,
    });
  });

  test('keeps the exercises that were added to a gym or for all gyms', async () => {
    for (const id of [gymsOwn, common])
      expect(await row(id)).toMatchObject({
        primary_muscles: ['lower back'],
        category: 'stretching',
        instructions: [],
        version: 1,
      });
  });

  test('does not change if the same library is written again', async () => {
    const rows = () => run('select id, version, updated_at from exercise order by id');
    const before = await rows();
    for (const statement of libraryStatements()) await run(statement);
    expect(await rows()).toEqual(before);
  });
});
