import type { Shape } from './shape.ts';

/** What was written of an object or list that stands at several places; of one shape, the last one. */
export interface SharedText {
  shape: Shape | undefined;
  text: string;
}

/** Objects and lists that stand at several places of the response, because one answer served several equal entities. */
export type Shared = Map<unknown, SharedText>;
