import { z } from 'zod';
import { KEEPS_GONE_MILLIS } from './squads/connection-times.ts';

const millis = (byDefault: number) =>
  z.coerce.number('expected milliseconds').int().min(1).default(byDefault);

/** The length of an absence. After a longer time than the maximum, it is not known when a user left. */
const absenceMillis = (byDefault: number) =>
  z.coerce
    .number('expected milliseconds')
    .int()
    .min(1)
    .max(KEEPS_GONE_MILLIS, `expected at most ${KEEPS_GONE_MILLIS} milliseconds`)
    .default(byDefault);

/** The squad service's own environment variables: `SQUAD_PRESENCE_GRACE_MILLIS` and so on. */
export const squadSettings = z.object({
  /** How long a user stays online after their last connection was lost. */
  squadPresenceGraceMillis: millis(30_000), // 30 s
  /** The time between two pings. A socket that has not answered the previous ping is ended. */
  squadHeartbeatMillis: millis(25_000), // 25 s
  /** A socket that has not authenticated itself after this time is closed. */
  squadAuthenticateWithinMillis: millis(5_000), // 5 s
  /** The shortest time between two presence updates of one connection. */
  squadPresenceIntervalMillis: millis(200), // 5 a second
  /** How long an invite is open. */
  squadInviteLifetimeMillis: millis(600_000), // 10 min
  /** A connected participant becomes host when the host has had no connection for this time. */
  squadHostAwayMillis: absenceMillis(120_000), // 2 min
  /** A LOBBY ends when none of its participants has been connected, and nothing has changed, for this time. */
  squadLobbyLifetimeMillis: absenceMillis(3_600_000), // 1 h
});
export type SquadSettings = z.output<typeof squadSettings>;
