import { DAY_MILLIS } from '#server/durations.ts';
export const ACCESS_TOKEN_SECONDS = 15 * 60; // 15 min
export const REFRESH_TOKEN_MILLIS = 30 * DAY_MILLIS;
