import type { Shape } from './shape.ts';

/** What was noticed while one response was given its shape. */
export class Shaping {
  /**
   * A null or a value of another type stands where the schema promises one; what holds it became null, as GraphQL has it.
   */
  broken = false;
  /** Something that the shapes cannot tell the answer for, such as a type name that the schema does not have. */
  odd = false;
  /** Texts of the objects and lists that stand at several places. */
  readonly texts: Map<object, { readonly shape: Shape; readonly text: string }> | undefined;
  private readonly shared: ReadonlySet<object> | undefined;

  constructor(shared: ReadonlySet<object> | undefined) {
    this.shared = shared;
    this.texts = shared && new Map();
  }

  isShared(value: object): boolean {
    return this.shared?.has(value) ?? false;
  }
}
