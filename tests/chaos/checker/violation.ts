import type { Operation } from '../history.ts';

/** Something that must not be, with the operations that contradict each other. */
export interface Violation {
  rule: string;
  what: string;
  operations: readonly Operation[];
}

/** A violation as text: the rule, the facts, and the lines of the history. */
export const described = ({ rule, what, operations }: Violation): string =>
  [`${rule}: ${what}`, ...operations.slice(0, 6).map((operation) => `    ${JSON.stringify(operation)}`)].join(
    '\n',
  );
