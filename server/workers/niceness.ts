/**
 * With this value a helper gets a third of the processor time of another thread if both are busy; sched(7), "The nice value".
 * With a higher value, log-ins would hardly continue beside other busy programs, and other callers would not be served
 * faster (`npm run bench:storm`).
 */
export const NICENESS = 5;
