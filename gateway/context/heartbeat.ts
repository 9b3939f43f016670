/** How often open sockets and streams get a ping or heartbeat: less than the 15 s after which some proxies close idle connections. */
export const PING_MILLIS = 12_000; // 12 s
