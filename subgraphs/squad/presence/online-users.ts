import { requireGym, requireUser, seesGym } from '#server/auth/viewer.ts';
import type { Audience } from '#server/audience.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import type { Hub } from '../hub.ts';
import { hiddenFrom, requireStaying, users, type UserRecord } from '../users/user.journal.ts';
import { isVisible, presentOnlineUser, type BoardSubscription, type GymBoards } from './gym-boards.ts';
import {
  GoOnlineShape,
  type OnlineUserShape,
  type OnlineUsersUpdate,
  type PresenceShape,
} from './presence.shapes.ts';

const OFFLINE: PresenceShape = { online: false, status: null, activity: null, since: null };

/** Who is online. A gym's people see each other; between two of whom one has blocked the other, both are offline. */
export class OnlineUsers {
  private readonly unit: UnitOfWork;
  private readonly hub: Hub;
  private readonly boards: GymBoards;

  constructor(unit: UnitOfWork, hub: Hub, boards: GymBoards) {
    this.unit = unit;
    this.hub = hub;
    this.boards = boards;
  }

  /** Of the viewer's gym, or of any for a SUPER_ADMIN; the longest online first. */
  async list(gymId?: string | null): Promise<OnlineUserShape[]> {
    const gym = requireGym(this.unit.viewer, gymId);
    const hidden = await this.hiddenUsers();
    return [...this.hub.onlineIn(gym)]
      .filter((entry) => isVisible(entry) && !hidden.has(entry.userId))
      .toSorted((one, other) => one.since.localeCompare(other.since))
      .map(presentOnlineUser);
  }

  /** The viewer is online for her gym from now on. */
  async goOnline(input: unknown): Promise<PresenceShape> {
    const { status, activity } = validated(GoOnlineShape, input ?? {});
    const { userId } = requireUser(this.unit.viewer);
    const gymId = requireGym(this.unit.viewer);
    requireStaying(await this.hub.journals.of(users).read(userId));
    return {
      online: true,
      ...pick(this.hub.announce(userId, gymId, status ?? 'AVAILABLE', activity || null)),
    };
  }

  /** Offline for who may not see her. */
  async presenceOf(userId: string): Promise<PresenceShape> {
    const entry = this.hub.onlineEntry(userId);
    const { viewer } = this.unit;
    if (!entry || viewer.kind !== 'user') return OFFLINE;
    if (viewer.userId === userId) return { online: true, ...pick(entry) };
    if (!seesGym(viewer, entry.gymId) || !isVisible(entry) || (await this.hiddenUsers()).has(userId))
      return OFFLINE;
    return { online: true, ...pick(entry) };
  }

  /** A connection of the viewer: she stays online while it is there, and for the grace after. */
  async connect(): Promise<() => void> {
    return this.hub.connect(requireUser(this.unit.viewer).userId);
  }

  /** Tells of every change in the viewer's gym, numbered and at most five times a second. */
  async watch({ gymId, delta = false, deliver }: BoardWatch): Promise<BoardSubscription> {
    const { userId } = requireUser(this.unit.viewer);
    const gym = requireGym(this.unit.viewer, gymId);
    let hidden: ReadonlySet<string> = new Set();
    const board: { current?: BoardSubscription } = {};
    const following = await this.hub.journals.of(users).follow(userId, (user) => {
      const before = hidden;
      hidden = hiddenFrom(user);
      if (hidden.size !== before.size || [...hidden].some((one) => !before.has(one)))
        board.current?.refresh();
    });
    hidden = hiddenFrom(following.state);
    const listening = this.boards.listen(gym, { delta, hidden: () => hidden, deliver });
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
   * As `watch`, but as those see it who have nobody blocked and are blocked by nobody. For the gateway, on behalf of
   * the gym's people whom `attend` does not tell apart.
   */
  async watchForAudience(_audience: Audience, { gymId, deliver }: BoardWatch): Promise<BoardSubscription> {
    const gym = requireGym(this.unit.viewer, gymId);
    return this.boards.listen(gym, { delta: false, hidden: () => NOBODY, deliver });
  }

  /**
   * Keeps somebody online who listens in an audience. Tells whether she may not see what it is told: once at first,
   * then as it changes. Returns what ends it.
   */
  async attend(userId: string, tell: (isApart: boolean) => void): Promise<() => void> {
    const disconnect = this.hub.connect(userId);
    const isApart = (user: UserRecord) => hiddenFrom(user).size > 0;
    try {
      const following = await this.hub.journals.of(users).follow(userId, (user) => tell(isApart(user)));
      tell(isApart(following.state));
      return () => {
        following.stop();
        disconnect();
      };
    } catch (error) {
      disconnect();
      throw error;
    }
  }

  private async hiddenUsers(): Promise<ReadonlySet<string>> {
    return hiddenFrom(await this.hub.journals.of(users).read(requireUser(this.unit.viewer).userId));
  }
}

export interface BoardWatch {
  /** For a SUPER_ADMIN: which gym. */
  gymId?: string | null | undefined;
  /** Changes only, however few are online. */
  delta?: boolean | undefined;
  deliver(update: OnlineUsersUpdate): void;
}

const NOBODY: ReadonlySet<string> = new Set();

const pick = ({ status, activity, since }: OnlineUserShape) => ({ status, activity, since });
