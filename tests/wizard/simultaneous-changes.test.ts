import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { connectionTo } from '#server/database/connection.ts';
import { withoutPooler } from '#server/database/database-server.ts';
import { eventually } from '../support/eventually.ts';
import { pictures } from '../support/pictures.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { testRun } from '../support/test-run.ts';
import { preparedGym } from './support.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym', 'wizard'] });
});
afterAll(() => platform.stop());

/** Locks the session until `release`, so that changes wait in the order in which they come. */
async function heldSession(id: string) {
  const [{ name }] = (await platform.sql('wizard', 'select current_database() as name')) as [
    { name: string },
  ];
  const client = new pg.Client(connectionTo(withoutPooler(testRun.current().server), name));
  await client.connect();
  await client.query('begin');
  await client.query('select 1 from wizard_session where id = $1 for update', [id]);
  return {
    waiting: (count: number) =>
      eventually(async () => {
        const [row] = await platform.sql(
          'wizard',
          `select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return row.count === count;
      }),
    async release(): Promise<void> {
      await client.query('rollback');
      await client.end();
    },
  };
}

it('a session that is cancelled keeps no file, also none that is uploaded at the same time', async () => {
  const token = await platform.demo('super@demo.test');
  const { id } = await preparedGym(platform);
  const form = new FormData();
  form.append('step', 'branding');
  form.append('field', 'logo');
  form.append(
    'file',
    new Blob([new Uint8Array(await pictures.normal('png'))], { type: 'image/png' }),
    'a.png',
  );
  const held = await heldSession(id);
  const upload = platform.rest('wizard', 'POST', `/${id}/uploads`, { token, body: form });
  await held.waiting(1);
  const cancel = platform.rest('wizard', 'POST', `/${id}/cancel`, { token, body: {} });
  await held.waiting(2);
  await held.release();
  expect([(await upload).status, (await cancel).status]).toEqual([201, 200]);
  expect((await cancel).body).toMatchObject({ status: 'CANCELLED', files: [] });
  const stored = await readdir(platform.dataDir, { recursive: true });
  expect(stored.filter((file) => file.includes(`${id}/`))).toEqual([]);
});
