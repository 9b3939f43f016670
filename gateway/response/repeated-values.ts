import type { Shape } from './response-shape.ts';

/** The JSON of a repeated value in the shape in which it was written last. */
interface WrittenJson {
  shape: Shape | undefined;
  text: string;
}

/** Objects and lists that are at several paths of the response, because one representation served several equal entities. */
export type RepeatedValues = Map<unknown, WrittenJson>;
