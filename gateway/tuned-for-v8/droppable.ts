/**
 * A reference to something that ends, which then clears it. Holders that live longer than the target keep this instead of
 * the target: a client until its own response is written, a Map for as long as V8 keeps its previous tables
 * (`time-limit.ts`). They would keep an ended request and its answer in memory for as long.
 *
 * Written for speed: without it the garbage collector has twice the work (`npm run bench -- "platform small"`, the rounds
 * with sharing).
 */
export interface Droppable<Target> {
  target: Target | undefined;
}
