import { DAY_MILLIS } from '#server/durations.ts';
import { removeRows, type RowRetentionRule } from '#server/retention/retention.ts';
import { journalKinds } from './journal-kinds.ts';

/**
 * Removes journals of the database whose last record is too old; their records and snapshots go with them. The time of a
 * change is stored to the hour. Journals in files are removed by `FileJournals.sweep`.
 */
export const journalRetention: readonly RowRetentionRule[] = journalKinds.flatMap(({ name, keepDays }) =>
  keepDays === undefined
    ? []
    : [
        {
          what: `squad_${name}`,
          kept: { millis: keepDays * DAY_MILLIS },
          run: (unit, before) => removeRows(unit, 'journal', 'kind = ? and changed_at < ?', [name, before]),
        },
      ],
);
