/**
 * With this value a helper gets a third of the processor time of another thread if both are busy; sched(7), "The nice value".
 * With less time, log-ins would hardly continue beside other busy programs; `npm run bench:storm` measures no difference for
 * other callers.
 */
export const NICENESS = 5;
