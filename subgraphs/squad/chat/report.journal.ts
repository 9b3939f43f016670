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
const KEPT_MILLIS = 90 * 24 * 60 * 60 * 1000; // 90 days, the same as for squads

export const reports: JournalKind<ReportRecord, ReportItem> = {
  name: 'reports',
  keepDays: 90,
  empty: () => ({ reports: [] }),
  apply(record, item) {
    if (item.type === 'snapshot') return { reports: kept(item.record.reports) };
    const { report } = item;
    const oldest = Date.parse(report.createdAt) - KEPT_MILLIS;
    const others = record.reports.filter(
      (one) =>
        Date.parse(one.createdAt) >= oldest &&
        (one.messageId !== report.messageId || one.reporterId !== report.reporterId),
    );
    return { reports: kept([...others, report]) };
  },
  compacted: (record) => [{ type: 'snapshot', record }],
};

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
