/** The interval of pings or heartbeats: less than the 15 s after which some proxies close idle connections. */
export const PING_MILLIS = 12_000; // 12 s
