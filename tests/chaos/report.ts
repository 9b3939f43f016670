import { described } from './checker/violation.ts';
import type { ChaosResult } from './run.ts';

/** The tables at the end of a run. */
export function reportOf({ errors, history, violations }: ChaosResult): string {
  const rows = [...Map.groupBy(history.operations, ({ kind }) => kind)].map(([kind, operations]) => {
    const count = (outcome: string) => String(operations.filter((one) => one.outcome === outcome).length);
    const repeated = operations.filter(({ attempts }) => attempts.length > 1).length;
    return [kind, count('ok'), count('refused'), count('unknown'), String(repeated)];
  });
  const faults = errors.byFault.map(({ window, attempts, errors: byCode }) => [
    window.fault,
    seconds(window.end - window.start),
    seconds(window.recovered - window.end),
    String(attempts),
    Object.entries(byCode)
      .map(([code, count]) => `${count} x ${code}`)
      .join(', ') || 'none',
  ]);
  const { outside } = errors;
  return [
    table([['operation', 'acknowledged', 'refused', 'unknown', 'repeated'], ...rows]),
    table([
      ['fault', 'lasted', 'recovered after', 'requests', 'errors until 5 s after the recovery'],
      ...faults,
    ]),
    `Without a fault: ${outside.errors} errors of ${outside.attempts} requests.`,
    violations.length === 0 ? 'No violation.' : `${violations.length} violations.`,
  ].join('\n\n');
}

/** The contradictions, for the message of a failed test. */
export const violationsOf = ({ violations, history }: ChaosResult): string =>
  violations.length === 0
    ? ''
    : [...violations.slice(0, 20).map(described), `The whole history: ${history.file}`].join('\n\n');

const seconds = (millis: number): string => `${(millis / 1_000).toFixed(1)} s`;

function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_cell, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
