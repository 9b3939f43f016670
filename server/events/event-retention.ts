import { DAY_MILLIS } from '../durations.ts';
import { removeRows, RETENTION_BATCH_ROWS, type RetentionRule } from '../retention/retention.ts';

/**
 * Removes old events from the feed. They are kept one day longer than the documents say (30 days), so that no event after a
 * valid cursor is missing. Positions and times of publication have the same order, so the oldest rows are found by the primary
 * key.
 */
export const eventRetention: RetentionRule = {
  what: 'events',
  kept: { millis: 31 * DAY_MILLIS },
  run: (unit, before) =>
    removeRows(
      unit,
      'event',
      `position <= (
         select max(position) from (select position, published_at from event order by position limit ${RETENTION_BATCH_ROWS}) as oldest
         where published_at < ?
       ) order by position`,
      [before],
    ),
};
