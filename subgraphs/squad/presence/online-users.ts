import { requireGym, requireOwnGym, requireUser, seesGym } from '#server/auth/viewer.ts';
import type { Audience, AudienceMember } from '#server/audience.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import type { Hub, OnlineEntry } from '../hub.ts';
import { requireNotErased, users, type UserRecord } from '../users/user.journal.ts';
import { newPace, type BoardSubscription, type Pace } from './board-listener.ts';
import type { GymBoards } from './gym-boards.ts';
import { MemberView } from './member-view.ts';
import { FIRST_CHOICE } from './online-entry.ts';
import {
  GoOnlineShape,
  type OnlineUserShape,
  type OnlineUsersUpdate,
  type PresenceShape,
} from './presence.shapes.ts';
import { byTimeOnline, OPEN_SIGHT, readSight, seenIn, sightOf } from './visibility.ts';

const OFFLINE: PresenceShape = { online: false, status: null, activity: null, since: null };

/** Who is online. The users of a gym see each other, unless one of the two has blocked the other. */
export class OnlineUsers {
  private readonly unit: UnitOfWork;
  private readonly hub: Hub;
  private readonly boards: GymBoards;

  constructor(unit: UnitOfWork, hub: Hub, boards: GymBoards) {
    this.unit = unit;
    this.hub = hub;
    this.boards = boards;
  }

  /** The online users of the viewer's gym, or of any gym for a SUPER_ADMIN; the longest online first. */
  async list(gymId?: string | null): Promise<OnlineUserShape[]> {
    const gym = requireGym(this.unit.viewer, gymId);
    const sight = await readSight(this.hub.journals, this.unit.viewer);
    await this.hub.openGym(gym);
    return [...this.hub.onlineIn(gym)]
      .map((entry) => seenIn(gym, sight, entry))
      .filter((seen) => seen !== undefined)
      .toSorted(byTimeOnline);
  }

  /**
   * The viewer comes online in their gym, or changes how they are shown. An absent field keeps its value: a second device
   * that comes online must not show a user who has become invisible on the first one.
   */
  async goOnline(input: unknown): Promise<PresenceShape> {
    const { status, activity } = validated(GoOnlineShape, input ?? {});
    const { userId } = requireUser(this.unit.viewer);
    const gymId = requireOwnGym(this.unit.viewer);
    const { chosenStatus } = await this.hub.journals.of(users).change(userId, (user) => {
      requireNotErased(user);
      const known = user.chosenStatus ?? FIRST_CHOICE;
      return !status || status === known.status
        ? []
        : [{ type: 'choseStatus', chosenStatus: { status, choice: known.choice + 1 } }];
    });
    await this.hub.openGym(gymId);
    return presentOwn(this.hub.announce({ userId, gymId, activity, ...(chosenStatus ?? FIRST_CHOICE) }));
  }

  /** The presence of a user; OFFLINE if the viewer may not see it. */
  async presenceOf(userId: string): Promise<PresenceShape> {
    const { viewer } = this.unit;
    if (viewer.kind !== 'user') return OFFLINE;
    // The sight is read in every case: otherwise the time of the answer would reveal whether there is an entry.
    const sight = await readSight(this.hub.journals, viewer);
    if (viewer.role === 'SUPER_ADMIN') await this.hub.openGymOf(userId);
    else if (viewer.gymId) await this.hub.openGym(viewer.gymId);
    const entry = this.hub.onlineEntry(userId);
    if (viewer.userId === userId) return presentOwn(entry);
    const seen = entry && seesGym(viewer, entry.gymId) ? seenIn(entry.gymId, sight, entry) : undefined;
    return seen ? { online: true, status: seen.status, activity: seen.activity, since: seen.since } : OFFLINE;
  }

  /** Counts a connection of the viewer, who stays online while it is open, and for a grace period afterwards. Returns what ends it. */
  async connect(): Promise<() => void> {
    const { userId, gymId } = requireUser(this.unit.viewer);
    if (gymId) await this.hub.openGym(gymId);
    return this.hub.connect(userId, gymId);
  }

  /** Delivers every change that the viewer may see, numbered and at most five times per second. */
  async watch({ gymId, delta = false, pace = newPace(), deliver }: BoardWatch): Promise<Watching> {
    const { userId } = requireUser(this.unit.viewer);
    const gym = requireGym(this.unit.viewer, gymId);
    const board: { current?: BoardSubscription } = {};
    await this.hub.openGym(gym);
    // Nothing may be awaited between following and listening: a block in between would be missed.
    let newest: UserRecord | undefined;
    const following = await this.hub.journals.of(users).follow(userId, (user) => {
      newest = user;
      board.current?.changeSight(sightOf(user));
    });
    const sight = sightOf(newest ?? following.state); // `newest` is a change that came before the board has a listener
    const listening = this.boards.listen(gym, { delta, sight, pace, deliver });
    board.current = listening;
    return {
      ...listening,
      stop() {
        following.stop();
        listening.stop();
      },
    };
  }

  /**
   * Delivers the changes that viewers without blocks may see, numbered and at most five times per second. For a gateway that
   * subscribes for the eligible members of an audience; the parameter makes sure that nobody else calls this.
   */
  async watchForAudience(_audience: Audience, { gymId, deliver }: BoardWatch): Promise<BoardSubscription> {
    const gym = requireGym(this.unit.viewer, gymId);
    await this.hub.openGym(gym);
    return this.boards.listen(gym, { delta: false, sight: OPEN_SIGHT, pace: newPace(), deliver });
  }

  /**
   * Keeps a member of an audience online, and decides whether they get the audience's updates or their own ones. Returns the
   * function that ends both.
   *
   * @param board the audience's subscription, which `watchForAudience` has returned
   */
  async attend(
    userId: string,
    board: BoardSubscription,
    member: AudienceMember<OnlineUsersUpdate>,
  ): Promise<() => void> {
    const disconnect = this.hub.connect(userId, requireUser(this.unit.viewer).gymId);
    const view = new MemberView(board, member);
    try {
      const following = await this.hub.journals
        .of(users)
        .follow(userId, (user) => view.changeSight(sightOf(user)));
      view.begin(sightOf(following.state));
      return () => {
        following.stop();
        view.stop();
        disconnect();
      };
    } catch (error) {
      disconnect();
      throw error;
    }
  }

  /** @throws FEATURE_DISABLED if the viewer's gym has switched the module off */
  async requireSwitchedOn(): Promise<void> {
    // `withSwitches` refuses a call of any rule whose module is off, so there is nothing else to check.
  }
}

interface BoardWatch {
  /** For a SUPER_ADMIN only: the gym. */
  gymId?: string | null | undefined;
  /** Whether the updates contain only changes, even if few users are online. */
  delta?: boolean | undefined;
  /** The pace of a connection that may begin to listen again; absent for a subscription, which listens once. */
  pace?: Pace;
  /** Returns false if the client reads too slowly. */
  deliver(update: OnlineUsersUpdate): boolean;
}

type Watching = Pick<BoardSubscription, 'snapshot' | 'refresh' | 'stop'>;

/** The presence as the user themselves sees it. */
const presentOwn = (entry: OnlineEntry | undefined): PresenceShape =>
  entry && entry.status !== 'OFFLINE'
    ? { online: true, status: entry.status, activity: entry.activity, since: entry.since }
    : OFFLINE;
