import { DAY_MILLIS } from '#server/durations.ts';
import { eventRetention } from '#server/events/event-retention.ts';
import type { FileStorage } from '#server/files/file-storage.ts';
import { unusedFiles } from '#server/files/unused-files.ts';
import { firstIdOf } from '#server/ids.ts';
import { removalsRetention } from '#server/references/removals.ts';
import { auditRetention } from '#server/retention/audit-retention.ts';
import { removeRows, type FileRetentionRule, type RetentionRule } from '#server/retention/retention.ts';

/** Removes pictures that belong to no post. */
export const unusedPictures = (files: FileStorage): FileRetentionRule =>
  unusedFiles(files, async (unit, names) => {
    const posts = await unit.read<{ image: string }>('select image from post where image = any(?::text[])', [
      names,
    ]);
    return new Set(posts.map(({ image }) => image));
  });

/** Ids are UUIDs of version 7, so the primary key finds the oldest rows. */
export const gymRetention: readonly RetentionRule[] = [
  {
    what: 'visits',
    kept: 'retentionVisitsDays',
    // A visit is kept if it counts in a challenge that ended after `before` or has not ended, so that scores can be
    // recounted.
    run: (unit, before) =>
      removeRows(
        unit,
        'check_in',
        `check_in.id < ? and check_in.checked_in_at < ? and check_in.checked_out_at is not null
         and not exists (
           select 1 from challenge where challenge.gym_id = check_in.gym_id and challenge.metric = 'CHECK_INS'
           and challenge.starts_at <= check_in.checked_in_at and challenge.ends_at > ?
         )
         order by check_in.id`,
        [firstIdOf(before), before, before],
      ),
  },
  {
    what: 'class_sessions',
    kept: 'retentionVisitsDays',
    // Their bookings are deleted with them.
    run: (unit, before) =>
      removeRows(unit, 'class_session', "id < ? and ends_at < ? and status <> 'SCHEDULED' order by id", [
        firstIdOf(before),
        before,
      ]),
  },
  {
    what: 'denials',
    kept: 'retentionDenialsDays',
    run: (unit, before) =>
      removeRows(unit, 'check_in_denial', 'id < ? and denied_at < ? order by id', [
        firstIdOf(before),
        before,
      ]),
  },
  {
    what: 'orders',
    kept: 'retentionOrdersDays',
    run: (unit, before) =>
      removeRows(unit, 'shop_order', "id < ? and status in ('COLLECTED', 'CANCELLED') order by id", [
        firstIdOf(before),
      ]),
  },
  auditRetention,
  removalsRetention,
  eventRetention,
  {
    what: 'webhook_deliveries',
    kept: { millis: 30 * DAY_MILLIS },
    run: (unit, before) =>
      removeRows(unit, 'webhook_delivery', "id < ? and status <> 'PENDING' order by id", [firstIdOf(before)]),
  },
];
