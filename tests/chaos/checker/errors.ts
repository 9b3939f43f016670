import type { Attempt, FaultWindow, History, Operation } from '../history.ts';
import type { Violation } from './violation.ts';

/** How long after the recovery errors still count as the fault's. */
const AFTER_RECOVERY_MILLIS = 5_000;
const MAX_SHARE_OUTSIDE = 0.001;
/** The statuses of errors that a client may get: 0 for no answer, and those after which it tries again. */
const EXPECTED = new Set([0, 503, 504, 507]);

interface Sent {
  attempt: Attempt;
  operation: Operation;
}

export interface ErrorSummary {
  outside: { attempts: number; errors: number };
  /** Requests and errors by fault. */
  byFault: { window: FaultWindow; attempts: number; errors: Record<string, number> }[];
}

const isError = ({ attempt: { status } }: Sent): boolean => status === 0 || status >= 500;

const isDuring = ({ attempt }: Sent, { start, recovered }: FaultWindow): boolean =>
  attempt.end >= start && attempt.start <= recovered + AFTER_RECOVERY_MILLIS;

const attemptsOf = ({ operations }: History): Sent[] =>
  operations.flatMap((operation) => operation.attempts.map((attempt) => ({ attempt, operation })));

const labelOf = ({ attempt: { status, code } }: Sent): string =>
  status === 0 ? `no answer (${code})` : `${status} ${code}`;

export function summaryOf(history: History): ErrorSummary {
  const all = attemptsOf(history);
  const outside = all.filter((sent) => !history.windows.some((window) => isDuring(sent, window)));
  return {
    outside: { attempts: outside.length, errors: outside.filter(isError).length },
    byFault: history.windows.map((window) => {
      const during = all.filter((sent) => isDuring(sent, window));
      const errors: Record<string, number> = {};
      for (const sent of during.filter(isError)) errors[labelOf(sent)] = (errors[labelOf(sent)] ?? 0) + 1;
      return { window, attempts: during.length, errors };
    }),
  };
}

export function errorViolations(history: History): Violation[] {
  const all = attemptsOf(history);
  const outside = all.filter((sent) => !history.windows.some((window) => isDuring(sent, window)));
  const failed = outside.filter(isError);
  const unexpected = all.filter((sent) => isError(sent) && !EXPECTED.has(sent.attempt.status));
  return [
    ...(failed.length > outside.length * MAX_SHARE_OUTSIDE
      ? [
          {
            rule: 'errors without a fault',
            what: `${failed.length} of ${outside.length} requests: ${failed.slice(0, 8).map(labelOf).join(', ')}`,
            operations: failed.slice(0, 6).map(({ operation }) => operation),
          },
        ]
      : []),
    ...[...Map.groupBy(unexpected, labelOf)].map(([label, sent]) => ({
      rule: 'unexpected error',
      what: `${sent.length} answers were ${label}`,
      operations: sent.slice(0, 3).map(({ operation }) => operation),
    })),
  ];
}
