import type { ErasureResult } from '#server/accounts/account-part.ts';
import { conflict } from '#server/errors.ts';
import type { StoredWorkout } from '../history/history.shapes.ts';
import type { StoredInvite } from '../invites/invites.shapes.ts';
import type { StatusChoice } from '../presence/online-entry.ts';
import type { JournalKind } from '../storage/journal.ts';

/** What the squad service stores about one user. */
export interface UserRecord {
  readonly userId: string;
  /** Users whom they have blocked. */
  readonly blocked: readonly string[];
  /** Users who have blocked them. All are kept, because a block that is missing here would not hide the two from each other. */
  readonly blockedBy: readonly string[];
  /**
   * The moment of the last change of `blocked`, in milliseconds since 1970. Each change has a later one than the change
   * before it, also if the clocks of two instances differ.
   */
  readonly blocksChangedAt: number;
  /**
   * By user: the `blocksChangedAt` of the state of their journal with which `blockedBy` agrees. The entry of a user who has
   * unblocked them stays.
   */
  readonly blockedByAsOf: Readonly<Record<string, number>>;
  /** Copies, the newest last. An invite is decided in its squad's journal. */
  readonly received: readonly StoredInvite[];
  readonly sent: readonly StoredInvite[];
  /** Squads that they have entered and whose end is not recorded here yet (`recordSquad`). */
  readonly squads: readonly string[];
  /** The LOBBY that an invite without a squad has opened last; null if there was none. The squad may not be written yet. */
  readonly lobby: ReservedLobby | null;
  /** The newest last. */
  readonly history: readonly StoredWorkout[];
  /** Counts the changes of their invites; the `seq` of the frames about them. */
  readonly inviteSeq: number;
  /**
   * The latest other journals that name them, or did: for the export and the erasure of their data. Earlier ones are in pages
   * (`names.journal.ts`).
   */
  readonly namedIn: NamedIn;
  /** The number of these pages. */
  readonly namePages: number;
  /** The status that they have chosen last; null if they never chose one. */
  readonly chosenStatus: StatusChoice | null;
  /** The erasure of their account; once it has begun, no record is added. Its name is in stored snapshots, so it must stay. */
  readonly farewell: Farewell | null;
}

interface ReservedLobby {
  readonly squadId: string;
  readonly gymId: string;
}

/** Ids, the latest last. */
export interface NamedIn {
  readonly squads: readonly string[];
  readonly gyms: readonly string[];
  /** Users whose journals name them: by invites, blocks, or training together. */
  readonly users: readonly string[];
}

/** The result of the erasure. `isDone` is false until all other journals are rewritten. */
interface Farewell {
  readonly verdict: ErasureResult;
  readonly isDone: boolean;
}

export type UserItem =
  | { type: 'snapshot'; user: UserRecord }
  /** Records of the previous version have no time. */
  | { type: 'blocked' | 'unblocked'; userId: string; at?: number }
  | { type: 'blockedBy' | 'unblockedBy'; userId: string; asOf?: number }
  /** A new invite, or one whose status has changed. */
  | { type: 'received' | 'sent'; invite: StoredInvite }
  /** `isForInvites`: an invite without a squad opens this LOBBY, and later ones use it. */
  | { type: 'entered'; squadId: string; gymId: string; isForInvites?: boolean }
  | { type: 'forgotten'; squadId: string }
  /** They are about to be named in the journal of that gym. */
  | { type: 'namedInGym'; gymId: string }
  /** That many names, the first ones of each list, are in a page now. */
  | { type: 'namesMoved'; counts: Readonly<Record<keyof NamedIn, number>> }
  | { type: 'choseStatus'; chosenStatus: StatusChoice }
  | { type: 'leaving'; verdict: ErasureResult }
  | { type: 'trained'; workout: StoredWorkout };

const MAX_INVITES = 200;
const MAX_HISTORY = 2_000;
/** The most users whom a user may block; `Blocks` refuses more. */
export const MAX_BLOCKED = 2_000;
/** The most moments in `blockedByAsOf` of users who have unblocked this user; further ones replace the oldest. */
const MAX_UNBLOCKED_MOMENTS = 20_000;
const MAX_SQUADS = 200;

const emptyUser = (userId: string): UserRecord => ({
  userId,
  blocked: [],
  blockedBy: [],
  blocksChangedAt: 0,
  blockedByAsOf: {},
  received: [],
  sent: [],
  squads: [],
  lobby: null,
  history: [],
  inviteSeq: 0,
  namedIn: { squads: [], gyms: [], users: [] },
  namePages: 0,
  chosenStatus: null,
  farewell: null,
});

export const users: JournalKind<UserRecord, UserItem> = {
  name: 'users',
  empty: emptyUser,
  apply(user, item) {
    if (item.type === 'snapshot') return { ...emptyUser(item.user.userId), ...item.user };
    return user.farewell ? user : withNames(changed(user, item), item);
  },
  compacted: (user) => [{ type: 'snapshot', user }],
};

/** For rules that are about to write a user's id elsewhere. @throws CONFLICT if the account is being erased */
export function requireNotErased(user: UserRecord): void {
  if (user.farewell) throw conflict('The account that this is about has been deleted.');
}

/** The record that stays: the account was erased, and nothing may be added. */
export const erasedUser = ({ userId, inviteSeq }: UserRecord, verdict: ErasureResult): UserRecord => ({
  ...emptyUser(userId),
  inviteSeq,
  farewell: { verdict, isDone: true },
});

type Change = Exclude<UserItem, { type: 'snapshot' }>;

function changed(user: UserRecord, item: Change): UserRecord {
  switch (item.type) {
    case 'blocked':
    case 'unblocked':
      return {
        ...user,
        blocked:
          item.type === 'blocked'
            ? added(user.blocked, item.userId, MAX_BLOCKED)
            : without(user.blocked, item.userId),
        blocksChangedAt: item.at ?? user.blocksChangedAt + 1,
      };
    case 'blockedBy':
    case 'unblockedBy': {
      const blockedBy =
        item.type === 'blockedBy' ? added(user.blockedBy, item.userId) : without(user.blockedBy, item.userId);
      return { ...user, blockedBy, blockedByAsOf: withMoment(user.blockedByAsOf, item, blockedBy) };
    }
    case 'received':
    case 'sent':
      return {
        ...user,
        [item.type]: withInvite(user[item.type], item.invite),
        inviteSeq: user.inviteSeq + 1,
      };
    case 'entered':
      return {
        ...user,
        squads: added(user.squads, item.squadId, MAX_SQUADS),
        lobby: item.isForInvites ? { squadId: item.squadId, gymId: item.gymId } : user.lobby,
      };
    case 'forgotten':
      return { ...user, squads: without(user.squads, item.squadId) };
    case 'trained':
      return withWorkout(user, item.workout);
    case 'namesMoved':
      return {
        ...user,
        namedIn: {
          squads: user.namedIn.squads.slice(item.counts.squads),
          gyms: user.namedIn.gyms.slice(item.counts.gyms),
          users: user.namedIn.users.slice(item.counts.users),
        },
        namePages: user.namePages + 1,
      };
    case 'choseStatus':
      return { ...user, chosenStatus: item.chosenStatus };
    case 'leaving':
      return { ...user, farewell: { verdict: item.verdict, isDone: false } };
    default:
      return user;
  }
}

function withNames(user: UserRecord, item: Change): UserRecord {
  const { squads = [], gyms = [], users: others = [] } = namesIn(item);
  const merged = (known: readonly string[], more: readonly string[]) =>
    more.reduce((list, one) => added(list, one), known); // `moveNames` keeps the lists short
  if (squads.length + gyms.length + others.length === 0) return user;
  return {
    ...user,
    namedIn: {
      squads: merged(user.namedIn.squads, squads),
      gyms: merged(user.namedIn.gyms, gyms),
      users: merged(
        user.namedIn.users,
        others.filter((id) => id !== user.userId),
      ),
    },
  };
}

function namesIn(item: Change): Partial<NamedIn> {
  switch (item.type) {
    case 'blocked':
    case 'blockedBy':
    case 'unblockedBy':
      return { users: [item.userId] };
    case 'received':
    case 'sent':
      return { squads: [item.invite.squadId], users: [item.invite.fromUserId, item.invite.toUserId] };
    case 'entered':
      return { squads: [item.squadId], gyms: item.gymId ? [item.gymId] : [] };
    case 'namedInGym':
      return { gyms: [item.gymId] };
    case 'trained':
      return { users: item.workout.participantIds };
    default:
      return {};
  }
}

/** The records by which the user blocks or unblocks the other one; none if this is their state already. */
export const blockItems = (user: UserRecord, otherId: string, isBlocked: boolean): readonly UserItem[] =>
  user.blocked.includes(otherId) === isBlocked
    ? []
    : [
        {
          type: isBlocked ? 'blocked' : 'unblocked',
          userId: otherId,
          at: Math.max(user.blocksChangedAt + 1, Date.now()),
        },
      ];

/**
 * The records by which `blockedBy` of the user agrees with the journal of the other one. None if it agrees with a later state
 * of that journal already: a block and an unblock at the same time may arrive here in the wrong order.
 */
export function blockedByItems(user: UserRecord, other: UserRecord): readonly UserItem[] {
  const isBlocked = other.blocked.includes(user.userId);
  const [known, asOf] = [user.blockedByAsOf[other.userId] ?? 0, other.blocksChangedAt];
  const isSame = user.blockedBy.includes(other.userId) === isBlocked;
  if (user.farewell || other.farewell || asOf < known || (asOf === known && isSame)) return [];
  return [{ type: isBlocked ? 'blockedBy' : 'unblockedBy', userId: other.userId, asOf }];
}

/** Users with a block between them and this user, whichever of the two has blocked the other. */
export const hiddenFrom = (user: UserRecord): ReadonlySet<string> =>
  new Set([...user.blocked, ...user.blockedBy]);

const added = (list: readonly string[], one: string, most = Number.POSITIVE_INFINITY): readonly string[] =>
  list.includes(one) ? list : [...list, one].slice(-most);
const without = (list: readonly string[], one: string): readonly string[] =>
  list.filter((other) => other !== one);

function withMoment(
  moments: UserRecord['blockedByAsOf'],
  { userId, asOf }: { userId: string; asOf?: number },
  blockedBy: readonly string[],
): UserRecord['blockedByAsOf'] {
  const { [userId]: before, ...others } = moments;
  const latest = asOf ?? before;
  if (latest === undefined) return others;
  const all = [...Object.entries(others), [userId, latest] as const];
  let surplus = all.length - blockedBy.length - MAX_UNBLOCKED_MOMENTS;
  if (surplus <= 0) return Object.fromEntries(all);
  const blocking = new Set(blockedBy);
  return Object.fromEntries(all.filter(([id]) => blocking.has(id) || surplus-- <= 0));
}

/** A closed invite stays closed: the record that it was sent may arrive after the record that closed it. */
function withInvite(list: readonly StoredInvite[], invite: StoredInvite): readonly StoredInvite[] {
  const at = list.findIndex(({ id }) => id === invite.id);
  const known = list[at];
  if (!known) return [...list, invite].slice(-MAX_INVITES);
  if (invite.status === 'PENDING') return list;
  return list.with(at, { ...known, status: invite.status, respondedAt: invite.respondedAt });
}

/** Whether the history has this row. True for an account that is being erased, so that no row is added to its history. */
export const hasRow = ({ history, farewell }: UserRecord, workout: StoredWorkout): boolean =>
  farewell !== null ||
  history.some(
    ({ squadId, revision, trainingId }) =>
      squadId === workout.squadId &&
      revision === workout.revision &&
      (workout.trainingId === null || trainingId === workout.trainingId),
  );

/** There is one row for each squad. An older row may arrive after a newer one, from another request or instance. */
function withWorkout(user: UserRecord, workout: StoredWorkout): UserRecord {
  const { squadId, revision } = workout;
  const known = user.history.find((one) => one.squadId === squadId);
  const others = user.history.filter((one) => one.squadId !== squadId);
  // Copies of one row may arrive in any order, and the training is known later than the row.
  const newest = { ...workout, trainingId: workout.trainingId ?? known?.trainingId ?? null };
  return {
    ...user,
    // The previous version wrote a row at the end of a squad only, and had nothing more to do with the squad then.
    squads: revision === undefined ? without(user.squads, squadId) : user.squads,
    history:
      known && (known.revision ?? 0) > (revision ?? 0)
        ? user.history
        : [...others, newest].slice(-MAX_HISTORY),
  };
}
