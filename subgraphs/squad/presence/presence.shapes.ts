import { z } from 'zod';

export const PresenceStatus = {
  AVAILABLE: 'AVAILABLE',
  WORKING_OUT: 'WORKING_OUT',
  INVISIBLE: 'INVISIBLE',
} as const;
export type PresenceStatus = (typeof PresenceStatus)[keyof typeof PresenceStatus];

export const OnlineUserShape = z
  .object({
    userId: z.string(),
    gymId: z.string(),
    status: z.enum(PresenceStatus),
    activity: z.string().nullable().meta({ description: 'What she is doing, in her own words.' }),
    since: z.iso.datetime().meta({ description: 'When she came online.' }),
  })
  .meta({ id: 'OnlineUser' });
export type OnlineUserShape = z.infer<typeof OnlineUserShape>;

export const PresenceShape = z.object({
  online: z.boolean(),
  status: z.enum(PresenceStatus).nullable(),
  activity: z.string().nullable(),
  since: z.iso.datetime().nullable(),
});
export type PresenceShape = z.infer<typeof PresenceShape>;

export const GoOnlineShape = z.object({
  status: z.enum(PresenceStatus, 'expected AVAILABLE, WORKING_OUT or INVISIBLE').nullish(),
  activity: z.string().trim().max(140, 'expected at most 140 characters').nullish(),
});

/** What `online_users_updated` and `onlineUsersUpdated` deliver. */
export interface OnlineUsersUpdate {
  /** Everybody, or (`full: false`) those who came or changed. */
  readonly users: readonly OnlineUserShape[];
  /** Those who went; empty where `full`. */
  readonly removed: readonly string[];
  readonly full: boolean;
  /** Counts the updates of one gym. */
  readonly seq: number;
}
