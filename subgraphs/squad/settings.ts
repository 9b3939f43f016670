import { z } from 'zod';

const millis = (byDefault: number) =>
  z.coerce.number('expected milliseconds').int().min(1).default(byDefault);

/** The squad service's own environment variables: `SQUAD_PRESENCE_GRACE_MILLIS` and so on. */
export const squadSettings = z.object({
  /** How long a user stays online after her last connection was lost. */
  squadPresenceGraceMillis: millis(30_000), // 30 s
  /** A socket is pinged so often, and ended where it has not answered by the next ping. */
  squadHeartbeatMillis: millis(25_000), // 25 s
  /** How long a socket may stay without a token. */
  squadAuthenticateWithinMillis: millis(5_000), // 5 s
  /** Presence updates of one gym come no closer to each other. */
  squadPresenceIntervalMillis: millis(200), // 5 a second
  /** How long an invite is open. */
  squadInviteLifetimeMillis: millis(600_000), // 10 min
  /** A host whose last connection has been gone for so long passes on to a participant who is connected. */
  squadHostAwayMillis: millis(120_000), // 2 min
  /** A LOBBY ends once nobody of it has been connected for so long. */
  squadLobbyLifetimeMillis: millis(3_600_000), // 1 h
});
export type SquadSettings = z.output<typeof squadSettings>;
