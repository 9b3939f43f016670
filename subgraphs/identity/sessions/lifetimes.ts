export const ACCESS_TOKEN_SECONDS = 15 * 60; // 15 min
export const REFRESH_TOKEN_MILLIS = 30 * 24 * 60 * 60 * 1000; // 30 days
