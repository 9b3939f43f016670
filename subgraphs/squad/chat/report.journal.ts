import { DAY_MILLIS } from '#server/durations.ts';
import { conflict } from '#server/errors.ts';
import type { JournalKind } from '../storage/journal.ts';
import type { MessageReportShape } from './messages.shapes.ts';

/** The reported messages of one gym, the latest report last. */
interface ReportRecord {
  readonly reports: readonly MessageReportShape[];
}

type ReportItem =
  | { type: 'snapshot'; record: ReportRecord }
  | { type: 'reported'; report: MessageReportShape };

const KEPT_REPORTS = 1_000;
/** Of each reporter, so that no user can push out the reports of the others. */
const KEPT_REPORTS_A_USER = 50;
const KEPT_DAYS = 90; // the same as for squads
const KEPT_MILLIS = KEPT_DAYS * DAY_MILLIS;

export const reports: JournalKind<ReportRecord, ReportItem> = {
  name: 'reports',
  keepDays: KEPT_DAYS,
  empty: () => ({ reports: [] }),
  apply(record, item) {
    if (item.type === 'snapshot') return { reports: kept(item.record.reports) };
    const { report } = item;
    const others = keptAt(report.createdAt, record.reports).filter(
      (one) => one.messageId !== report.messageId || one.reporterId !== report.reporterId,
    );
    return { reports: kept([...others, report]) };
  },
  compacted: (record) => [{ type: 'snapshot', record }],
};

/**
 * Returns the record of a report. A user who has as many reports as are kept makes no further one, because it would remove an
 * earlier one that the staff may not have read; they may report the same message again.
 * @throws CONFLICT
 */
export function reportItems({ reports: all }: ReportRecord, report: MessageReportShape): ReportItem[] {
  const others = keptAt(report.createdAt, all).filter(
    ({ reporterId, messageId }) => reporterId === report.reporterId && messageId !== report.messageId,
  );
  if (others.length >= KEPT_REPORTS_A_USER)
    throw conflict(
      `You have reported ${KEPT_REPORTS_A_USER} messages in the last ${KEPT_DAYS} days, and more are not accepted; speak to the staff of your gym.`,
    );
  return [{ type: 'reported', report }];
}

/** The reports that are not older than 90 days at this time, ISO 8601. */
export function keptAt(time: string, all: readonly MessageReportShape[]): MessageReportShape[] {
  const oldest = Date.parse(time) - KEPT_MILLIS;
  return all.filter(({ createdAt }) => Date.parse(createdAt) >= oldest);
}

function kept(all: readonly MessageReportShape[]): readonly MessageReportShape[] {
  const counts = new Map<string, number>();
  return all
    .toReversed()
    .filter(({ reporterId }) => {
      const count = (counts.get(reporterId) ?? 0) + 1;
      counts.set(reporterId, count);
      return count <= KEPT_REPORTS_A_USER;
    })
    .slice(0, KEPT_REPORTS)
    .toReversed();
}
