import { describe, expect, it } from '@jest/globals';
import type { JobShape } from '#server/jobs/jobs.shapes.ts';
import { removeRows, type RetentionRule } from '#server/retention/retention.ts';
import { nutrition } from '../../subgraphs/nutrition/subgraph.ts';
import { nutritionRetention } from '../../subgraphs/nutrition/retention.ts';
import { eventually } from '../support/eventually.ts';
import { startPlatform } from '../support/platform.ts';
import { addReports } from '../support/retention.ts';

describe('the job of retention', () => {
  it('continues with the other rules if one fails, and shows the failure to operators', async () => {
    const failing: RetentionRule = {
      what: 'failing',
      kept: { millis: 0 },
      run: (unit) => removeRows(unit, 'no_such_table', 'true', []),
    };
    const platform = await startPlatform({ services: ['identity', 'nutrition'] });
    try {
      await addReports(
        (text, values) => platform.sql('nutrition', text.replace('?', '$1').replace('?', '$2'), values),
        3,
        100,
      );
      // The service is stopped so that the replica runs the job, because only the replica has the failing rule.
      await platform.running('nutrition').stop();
      const { url } = await platform.replica('nutrition', {
        ...nutrition,
        retention: () => [failing, ...nutritionRetention],
      });
      await eventually(
        async () => (await platform.sql('nutrition', 'select 1 from food_log_import')).length === 0,
      );
      const token = await platform.demo('super@demo.test');
      const [job] = await eventually(async () => {
        const answer = await fetch(`${url}/jobs?name=remove_old_rows`, {
          headers: { authorization: `Bearer ${token}` },
        });
        const body = (await answer.json()) as JobShape[];
        return body[0]?.error ? body : undefined;
      });
      expect(job).toMatchObject({ name: 'remove_old_rows', maxAttempts: 3, payload: {} });
      expect(job?.error).toMatch(/^failing: .*no_such_table/);
    } finally {
      await platform.stop();
    }
  });

  it('begins when the service starts', async () => {
    const platform = await startPlatform({ services: ['nutrition'] });
    try {
      await platform.sql(
        'nutrition',
        `insert into idempotency_record (caller, key, operation, fingerprint, status, headers, created_at)
         values ('user', 'old', 'POST /log', '', 200, '{}', now() - interval '25 hours'), ('user', 'new', 'POST /log', '', 200, '{}', now())`,
      );
      await platform.restart('nutrition');
      const keys = await eventually(async () => {
        const rows = await platform.sql('nutrition', 'select key from idempotency_record order by key');
        return rows.length === 1 && rows;
      });
      expect(keys).toEqual([{ key: 'new' }]);
    } finally {
      await platform.stop();
    }
  });
});
