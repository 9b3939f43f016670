/**
 * Gives a helper a third of the weight of other threads if all want to run; sched(7), "The nice value". With less, log-ins
 * would hardly continue beside other busy programs; `npm run bench:storm` measures no difference for other callers.
 */
export const NICENESS = 5;
