import type { Shared } from './shared.ts';

/** What is known of one response that is given its shape, and what was noticed meanwhile. */
export class Shaping {
  /**
   * A null or a value of another type stands where the schema promises one; what holds it became null, as GraphQL has it.
   */
  broken = false;
  /** Something that the shapes cannot tell the answer for, such as a type name that the schema does not have. */
  odd = false;
  readonly shared: Shared | undefined;
  /** Whether no string in the data holds anything that JSON escapes. */
  readonly isPlain: boolean;

  constructor({ shared, isPlain }: { shared: Shared | undefined; isPlain: boolean }) {
    this.shared = shared;
    this.isPlain = isPlain;
  }
}
