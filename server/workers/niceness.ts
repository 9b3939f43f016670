/** Gives a helper a tenth of the weight of other threads if all want to run; sched(7), "The nice value". */
export const NICENESS = 10;
