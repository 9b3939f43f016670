export const HOUR_MILLIS = 60 * 60 * 1000;
export const DAY_MILLIS = 24 * HOUR_MILLIS;
/** The longest delay of `setTimeout`, 24.8 days. A longer one would run at once. */
export const MAX_TIMER_MILLIS = 2 ** 31 - 1;
