import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { DAY_MILLIS } from '#server/durations.ts';
import { uuidv7 } from '#server/ids.ts';
import { database as gymDatabase } from '../../subgraphs/gym/database.ts';
import { gymRetention } from '../../subgraphs/gym/retention.ts';
import { idAt, retentionDatabases, startedRetention } from '../support/retention.ts';

const opened = retentionDatabases();

describe('the retention of a gym', () => {
  it('removes old visits that have ended, except those of challenges that run or ended within the retention time', async () => {
    const { orm, sql } = await opened(gymDatabase);
    const [gymId, otherGymId] = [uuidv7(), uuidv7()];
    const halls: Record<string, string> = { [gymId]: uuidv7(), [otherGymId]: uuidv7() };
    for (const [id, locationId] of Object.entries(halls)) {
      await sql(
        `insert into gym (id, slug, name, theme, assets, features, created_at, updated_at) values (?, ?, 'Gym', '{}', '{}', '{}', now(), now())`,
        [id, `gym-${id}`],
      );
      await sql(
        `insert into location (id, gym_id, name, timezone, capacity, created_at, updated_at) values (?, ?, 'Hall', 'UTC', 10, now(), now())`,
        [locationId, id],
      );
    }
    const daysBefore = (days: number) => new Date(Date.now() - days * DAY_MILLIS);
    const visit = async (name: string, daysAgo: number, ofGym = gymId, isOpen = false) => {
      const at = daysBefore(daysAgo);
      await sql(
        `insert into check_in (id, user_id, gym_id, location_id, checked_in_at, expires_at, checked_out_at, method, source, checked_in_by)
         values (?, ?, ?, ?, ?, ?, ?, 'QR', ?, null)`,
        [idAt(at), randomUUID(), ofGym, halls[ofGym], at, at, isOpen ? null : at, name],
      );
    };
    const challenge = (ofGym: string, metric: string, fromDaysAgo: number, toDaysAgo: number) =>
      sql(
        `insert into challenge (id, gym_id, title, metric, goal, starts_at, ends_at, created_at) values (?, ?, 'Visits', ?, 10, ?, ?, now())`,
        [uuidv7(), ofGym, metric, daysBefore(fromDaysAgo), daysBefore(toDaysAgo)],
      );
    await challenge(otherGymId, 'CHECK_INS', 202, -10); // still running
    await challenge(gymId, 'CHECK_INS', 302, 50); // ended within the retention time
    await challenge(gymId, 'CHECK_INS', 501, 499); // ended long ago
    await challenge(gymId, 'WORKOUTS', 1_000, -10); // counts no visits
    await visit('99: young', 99);
    await visit('201: counted now', 201, otherGymId);
    await visit('203: before the challenge', 203, otherGymId);
    await visit('301: counted lately', 301);
    await visit('320: old', 320);
    await visit('330: open', 330, gymId, true);
    await visit('500: counted long ago', 500);
    await startedRetention(orm, gymRetention, { RETENTION_VISITS_DAYS: '100' }).retention.run();
    const rows = await sql<{ source: string }>('select source from check_in order by source');
    expect(rows.map(({ source }) => source)).toEqual([
      '201: counted now',
      '301: counted lately',
      '330: open',
      '99: young',
    ]);
  });

  it('removes denials after 90 days', async () => {
    const { orm, sql } = await opened(gymDatabase);
    const [gymId, locationId] = [uuidv7(), uuidv7()];
    await sql(
      `insert into gym (id, slug, name, theme, assets, features, created_at, updated_at) values (?, 'one', 'Gym', '{}', '{}', '{}', now(), now())`,
      [gymId],
    );
    await sql(
      `insert into location (id, gym_id, name, timezone, capacity, created_at, updated_at) values (?, ?, 'Hall', 'UTC', 10, now(), now())`,
      [locationId, gymId],
    );
    for (const daysAgo of [89, 91]) {
      const at = new Date(Date.now() - daysAgo * DAY_MILLIS);
      await sql(
        `insert into check_in_denial (id, location_id, gym_id, reason, denied_at) values (?, ?, ?, ?, ?)`,
        [idAt(at), locationId, gymId, `${daysAgo} days`, at],
      );
    }
    await startedRetention(orm, gymRetention).retention.run();
    expect(await sql('select reason from check_in_denial')).toEqual([{ reason: '89 days' }]);
  });
});
