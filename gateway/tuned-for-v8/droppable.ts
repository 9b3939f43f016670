/**
 * A reference that its target clears when the target ends. It is used by objects that live longer than the target: a client,
 * which lives until its own response is written, and a Map, whose previous tables V8 keeps for some time (`time-limit.ts`).
 * With a direct reference, these objects would keep an ended request and its answer in memory as long as they live.
 *
 * Written for speed: without it the garbage collector has twice the work (`npm run bench -- "platform small"`, the rounds
 * with sharing).
 */
export interface Droppable<Target> {
  target: Target | undefined;
}
