import { randomBytes, randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { openDatabase } from '#server/database/database.ts';
import { database } from '../../subgraphs/content/database.ts';
import { testRun } from '../support/test-run.ts';

const { server, runId } = testRun.current();

it('the migration removes versions without a routine, and adds a foreign key that deletes versions with their routine', async () => {
  const name = `${runId}_${randomBytes(5).toString('hex')}`;
  const before = await openDatabase(
    { ...database, migrations: database.migrations.slice(0, 1) },
    { server, name },
  );
  const [routineId, goneId] = [randomUUID(), randomUUID()];
  await before.em.fork().execute(
    `insert into workout_routine (id, title, difficulty, category, target_muscles, equipment, exercises, duration_minutes, created_at, updated_at)
     values (?, 'Routine', 'Beginner', 'Strength', '[]', '[]', '[]', 10, now(), now())`,
    [routineId],
  );
  for (const id of [routineId, goneId])
    await before.em
      .fork()
      .execute(
        `insert into workout_routine_version (routine_id, version, content, created_at) values (?, 1, '{}', now())`,
        [id],
      );
  await before.close(true);

  const orm = await openDatabase(database, { server, name });
  try {
    const em = orm.em.fork();
    const versions = () => em.execute('select routine_id as id from workout_routine_version');
    expect(await versions()).toEqual([{ id: routineId }]);
    await em.execute('delete from workout_routine where id = ?', [routineId]);
    expect(await versions()).toEqual([]);
  } finally {
    await orm.close(true);
  }
});
