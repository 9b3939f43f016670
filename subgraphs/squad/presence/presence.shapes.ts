import { z } from 'zod';
import { visibleText } from '#server/shapes.ts';

/** A user's choice, which stays while they are not connected. */
export const PresenceStatus = {
  AVAILABLE: 'AVAILABLE',
  WORKING_OUT: 'WORKING_OUT',
  INVISIBLE: 'INVISIBLE',
  OFFLINE: 'OFFLINE',
} as const;
export type PresenceStatus = (typeof PresenceStatus)[keyof typeof PresenceStatus];

/** The status of a user who is online. */
const onlineStatus = z.enum(PresenceStatus).exclude(['OFFLINE']);

export const OnlineUserShape = z
  .object({
    userId: z.string().meta({ description: "The user's id." }),
    gymId: z.string().meta({ description: "The id of the user's gym." }),
    status: onlineStatus,
    activity: z.string().nullable(),
    since: z.iso.datetime(),
  })
  .meta({ id: 'OnlineUser' });
export type OnlineUserShape = z.infer<typeof OnlineUserShape>;

export const PresenceShape = z
  .object({
    online: z.boolean(),
    status: onlineStatus.nullable(),
    activity: z.string().nullable(),
    since: z.iso.datetime().nullable(),
  })
  .meta({ graphType: 'Presence' });
export type PresenceShape = z.infer<typeof PresenceShape>;

/** An empty text clears the activity as null does. */
const activity = z.preprocess(
  (given) => (typeof given === 'string' && given.trim() === '' ? null : given),
  visibleText(140).nullish(),
);

export const GoOnlineShape = z
  .object({
    status: z.enum(PresenceStatus, 'expected AVAILABLE, WORKING_OUT, INVISIBLE or OFFLINE').nullish(),
    activity: activity,
  })
  .meta({ graphType: 'GoOnlineInput' });

/** What `online_users_updated` and `onlineUsersUpdated` deliver. */
export interface OnlineUsersUpdate extends BoardContent {
  /** Counts the updates of one connection or subscription. */
  readonly seq: number;
}

/** An update before it is numbered; the same object for all listeners without blocks. */
export interface BoardContent {
  /** All online users, or (`full: false`) users who appeared or changed. */
  readonly users: readonly OnlineUserShape[];
  /** Ids of users who disappeared; empty if `full`. */
  readonly removed: readonly string[];
  readonly full: boolean;
}
