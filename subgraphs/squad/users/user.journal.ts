import type { SquadWorkoutShape } from '../history/history.shapes.ts';
import type { StoredInvite } from '../invites/invites.shapes.ts';
import type { JournalKind } from '../storage/journal.ts';

/** What the squad service keeps of one user. */
export interface UserRecord {
  readonly userId: string;
  /** Whom she has blocked, and who has blocked her. */
  readonly blocked: readonly string[];
  readonly blockedBy: readonly string[];
  /** The newest last. */
  readonly received: readonly StoredInvite[];
  readonly sent: readonly StoredInvite[];
  /** Squads that she entered and that were not written to her history yet. */
  readonly squads: readonly string[];
  /** The newest last. */
  readonly history: readonly SquadWorkoutShape[];
  /** Counts what happened to her invites: the `seq` of the frames that tell it. */
  readonly inviteSeq: number;
}

export type UserItem =
  | { type: 'snapshot'; user: UserRecord }
  | { type: 'blocked' | 'unblocked' | 'blockedBy' | 'unblockedBy'; userId: string }
  /** A new invite, or one whose status has changed. */
  | { type: 'received' | 'sent'; invite: StoredInvite }
  | { type: 'entered' | 'forgotten'; squadId: string }
  | { type: 'trained'; workout: SquadWorkoutShape };

const MAX_INVITES = 200;
const MAX_HISTORY = 2_000;
const MAX_BLOCKS = 2_000;
const MAX_SQUADS = 200;

export const users: JournalKind<UserRecord, UserItem> = {
  name: 'users',
  empty: (userId) => ({
    userId,
    blocked: [],
    blockedBy: [],
    received: [],
    sent: [],
    squads: [],
    history: [],
    inviteSeq: 0,
  }),
  apply(user, item) {
    switch (item.type) {
      case 'snapshot':
        return item.user;
      case 'blocked':
        return { ...user, blocked: added(user.blocked, item.userId, MAX_BLOCKS) };
      case 'unblocked':
        return { ...user, blocked: without(user.blocked, item.userId) };
      case 'blockedBy':
        return { ...user, blockedBy: added(user.blockedBy, item.userId, MAX_BLOCKS) };
      case 'unblockedBy':
        return { ...user, blockedBy: without(user.blockedBy, item.userId) };
      case 'received':
      case 'sent':
        return {
          ...user,
          [item.type]: withInvite(user[item.type], item.invite),
          inviteSeq: user.inviteSeq + 1,
        };
      case 'entered':
        return { ...user, squads: added(user.squads, item.squadId, MAX_SQUADS) };
      case 'forgotten':
        return { ...user, squads: without(user.squads, item.squadId) };
      case 'trained':
        return {
          ...user,
          squads: without(user.squads, item.workout.squadId),
          history: [
            ...user.history.filter(({ squadId }) => squadId !== item.workout.squadId),
            item.workout,
          ].slice(-MAX_HISTORY),
        };
      default:
        return user;
    }
  },
  compacted: (user) => [{ type: 'snapshot', user }],
};

/** Those who are offline to her, and she to them. */
export const hiddenFrom = (user: UserRecord): ReadonlySet<string> =>
  new Set([...user.blocked, ...user.blockedBy]);

const added = (list: readonly string[], one: string, most: number): readonly string[] =>
  list.includes(one) ? list : [...list, one].slice(-most);
const without = (list: readonly string[], one: string): readonly string[] =>
  list.filter((other) => other !== one);

function withInvite(list: readonly StoredInvite[], invite: StoredInvite): readonly StoredInvite[] {
  const at = list.findIndex(({ id }) => id === invite.id);
  return at < 0 ? [...list, invite].slice(-MAX_INVITES) : list.with(at, invite);
}
