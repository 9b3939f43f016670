import { TOO_MANY_SOCKETS } from '#server/http/socket-limits.ts';

/** Why a socket is closed; PROTOCOL.md explains each to clients. */
export const CloseCode = {
  GOING_AWAY: 1001,
  PAYLOAD_TOO_LARGE: 1009,
  TRY_AGAIN_LATER: 1013,
  UNAUTHENTICATED: 4401,
  TOKEN_EXPIRED: 4403,
  SLOW_CONSUMER: 4408,
  RATE_LIMITED: 4429,
  TOO_MANY_SOCKETS,
} as const;
export type CloseCode = (typeof CloseCode)[keyof typeof CloseCode];
