/**
 * A reference to a request to a subgraph; it is cleared when the request has ended. Its holders live longer: a waiting client,
 * until its own response is written, and the Map of `InFlightQueries`, whose previous tables V8 keeps for some time (the
 * reason is in `time-limit.ts`). With a direct reference, they would keep an ended request and its answer in memory.
 *
 * Written for speed: without it the garbage collector has twice the work (`npm run bench -- "platform small"`, the rounds
 * with sharing).
 */
export interface Droppable<Target> {
  target: Target | undefined;
}
