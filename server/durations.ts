export const HOUR_MILLIS = 60 * 60 * 1000;
export const DAY_MILLIS = 24 * HOUR_MILLIS;
