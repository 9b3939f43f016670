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
const KEPT_MILLIS = 90 * 24 * 60 * 60 * 1000; // 90 days, the same as for squads

export const reports: JournalKind<ReportRecord, ReportItem> = {
  name: 'reports',
  keepDays: 90,
  empty: () => ({ reports: [] }),
  apply(record, item) {
    if (item.type === 'snapshot') return item.record;
    const { report } = item;
    const oldest = Date.parse(report.createdAt) - KEPT_MILLIS;
    const others = record.reports.filter(
      (one) =>
        Date.parse(one.createdAt) >= oldest &&
        (one.messageId !== report.messageId || one.reporterId !== report.reporterId),
    );
    return { reports: [...others, report].slice(-KEPT_REPORTS) };
  },
  compacted: (record) => [{ type: 'snapshot', record }],
};
