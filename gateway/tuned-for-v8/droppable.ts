/**
 * A reference that its target clears when the target ends. Objects that live longer than the target refer to it by this:
 * a client, which lives until its own response is written, and a Map, whose previous tables V8 keeps for some time
 * (`time-limit.ts`). A direct reference would keep an ended request and its answer in memory for as long.
 *
 * Written for speed: without it the garbage collector has twice the work (`npm run bench -- "platform small"`, the rounds
 * with sharing).
 */
export interface Droppable<Target> {
  target: Target | undefined;
}
