import { z } from 'zod';
import { requireGym, requireUser } from '#server/auth/viewer.ts';
import { forbidden, invalid, notFound, PlatformError } from '#server/errors.ts';
import { isUuid, uuidv7 } from '#server/ids.ts';
import { cursorsOf, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { forgetInSquad } from '../accounts/forgotten.ts';
import { unlessGone } from '../accounts/unless-gone.ts';
import type { Hub } from '../hub.ts';
import { sliceAfter } from '../lists.ts';
import type { Platform } from '../upstream/platform.ts';
import { hiddenFrom, requireStaying, users } from '../users/user.journal.ts';
import { recordSquad } from './finish.ts';
import { emptyLobbyOf, openSquadsOf, reserveSquad } from './opening.ts';
import { opensDoor } from './squad-invites.ts';
import {
  isInRoom,
  isPresent,
  mayEnter,
  meetsHidden,
  requireRoom,
  takesPart,
  type Visitor,
} from './squad-rights.ts';
import { present, replayOf, type Replay } from './squad-view.ts';
import { squads, type NoSquad, type SquadItem, type SquadState } from './squad.journal.ts';
import {
  CreateSquadShape,
  JoinSquadShape,
  SquadIdShape,
  SquadMemberShape,
  UpdateWorkoutShape,
  type SquadEventShape,
  type SquadShape,
} from './squads.shapes.ts';
import type { Upkeep } from './upkeep.ts';
import { checkUpdate, decideUpdate, ended, requireActive, revisionOf } from './workout-updates.ts';

const MAX_PARTICIPANTS = 20;

const cursors = cursorsOf('squads', z.tuple([z.string(), z.string()]));

export interface SquadWatch {
  /** Called with each event in order, and the session after it. */
  deliver(event: SquadEventShape, session: SquadShape): void;
  /** Called once if there is nothing more to see: the viewer has left or was put out, or the squad has ended. */
  onEnd(): void;
}

/** Live squads: private rooms whose state the server owns. Each change makes one revision. */
export class Squads {
  private readonly unit: UnitOfWork;
  private readonly hub: Hub;
  private readonly platform: Pick<Platform, 'routine' | 'exerciseModality'>;
  private readonly upkeep: Upkeep;

  constructor(
    unit: UnitOfWork,
    hub: Hub,
    platform: Pick<Platform, 'routine' | 'exerciseModality'>,
    upkeep: Upkeep,
  ) {
    this.unit = unit;
    this.hub = hub;
    this.platform = platform;
    this.upkeep = upkeep;
  }

  /**
   * Opens a squad in LOBBY; the viewer is its host. It trains the version that the routine has now.
   * @throws SQUAD_LIMIT, VALIDATION_FAILED for a routine that does not exist
   */
  async create(input: unknown): Promise<SquadShape> {
    const { routineId } = validated(CreateSquadShape, input ?? {});
    const { userId } = requireUser(this.unit.viewer);
    const gymId = requireGym(this.unit.viewer);
    const routine = routineId ? await this.platform.routine(routineId) : null;
    if (routine === undefined)
      throw invalid('routineId', `there is no workout routine "${routineId}" that you may see`);
    const id = uuidv7();
    await reserveSquad(this.hub, this.upkeep, { userId, gymId, squadId: id });
    const squad = await this.change(id, () => [
      {
        type: 'created',
        id,
        gymId,
        hostId: userId,
        routineId: routine?.id ?? null,
        routineVersion: routine?.version ?? null,
        plan: routine?.plan ?? null,
        at: nowText(),
      },
    ]);
    await this.unlessGone(userId, id);
    return squad;
  }

  /** The viewer's own LOBBY that nobody else has entered; a new one if they have none. */
  async ownLobby(): Promise<SquadShape> {
    const { userId } = requireUser(this.unit.viewer);
    const lobby = await emptyLobbyOf(this.hub, this.upkeep, userId);
    return lobby && lobby.gymId === requireGym(this.unit.viewer) ? present(lobby) : this.create({});
  }

  /** @throws NOT_FOUND for everybody who is not in the room */
  async get(id: string): Promise<SquadShape> {
    return present(await this.seen(id));
  }

  /** As `get`, null instead of an error; for references. */
  async find(id: string): Promise<SquadShape | null> {
    const squad = await this.read(id);
    if (squad.status === 'NONE' || this.unit.viewer.kind !== 'user') return null;
    return isInRoom(squad, await this.visitor()) ? present(squad) : null;
  }

  /** The open squads that the viewer takes part in, newest first. */
  async mine(): Promise<SquadShape[]> {
    const visitor = await this.visitor();
    const open = await openSquadsOf(this.hub, this.upkeep, visitor.viewer.userId);
    return open
      .filter((squad) => isInRoom(squad, visitor))
      .map(present)
      .toSorted((one, other) => (keysOf(one) < keysOf(other) ? 1 : -1));
  }

  async minePage(request: PageRequest): Promise<Page<SquadShape>> {
    const after = cursors.read(request.cursor);
    return cursors.page(sliceAfter(await this.mine(), after, keysOf, request), request, keysOf);
  }

  /** What has happened after a revision. */
  async replay(id: string, fromRevision: number | null | undefined): Promise<Replay> {
    return replayOf(await this.seen(id), fromRevision);
  }

  /** Enters the room, by an invite that is open or was accepted; a participant stays one. */
  async join(input: unknown): Promise<Replay> {
    const { squadId, fromRevision } = validated(JoinSquadShape, input);
    const visitor = await this.visitor();
    const { userId } = visitor.viewer;
    const { gymId } = requireDoor(await this.read(squadId), squadId, visitor);
    await this.enter(userId, squadId, gymId);
    const since = nowText();
    const squad = (await this.hub.journals.of(squads).change(squadId, (now) => {
      const seen = requireDoor(now, squadId, visitor);
      if (seen.status === 'ENDED') throw ended();
      if (takesPart(seen, userId)) return [];
      if (seen.participants.filter(isPresent).length >= MAX_PARTICIPANTS)
        throw new PlatformError(
          'SQUAD_FULL',
          `A squad has at most ${MAX_PARTICIPANTS} participants; wait until somebody leaves.`,
        );
      return [{ type: 'joined', userId, at: nowText() }];
    })) as SquadState;
    await recordSquad(this.hub.journals, squad, since);
    await this.unlessGone(userId, squadId);
    await this.unlessBlocked(squad);
    return replayOf(squad, fromRevision);
  }

  /** The host's leaving hands over; the last one's ends the squad. It takes a new invite to come back, for the host too. */
  async leave(input: unknown): Promise<SquadShape> {
    const { squadId } = validated(SquadIdShape, input);
    const { userId } = requireUser(this.unit.viewer);
    await this.seen(squadId);
    return this.change(squadId, (squad) =>
      takesPart(squad, userId) && squad.status !== 'ENDED'
        ? [{ type: 'left', userId, banned: false, at: nowText() }]
        : [],
    );
  }

  /** From the lobby or a pause. For the host. */
  start(input: unknown): Promise<SquadShape> {
    return this.setStatus(input, 'ACTIVE');
  }

  pause(input: unknown): Promise<SquadShape> {
    return this.setStatus(input, 'PAUSED');
  }

  end(input: unknown): Promise<SquadShape> {
    return this.setStatus(input, 'ENDED');
  }

  /** Puts a participant out, or takes away the right of an invitee to enter. For the host. */
  async kick(input: unknown): Promise<SquadShape> {
    return this.ofHost(input, 'put yourself out; leave instead', (squad, userId) => {
      const at = nowText();
      if (takesPart(squad, userId)) return [{ type: 'left', userId, banned: true, at }];
      const isInvited = squad.invites.some((invite) => invite.toUserId === userId && opensDoor(invite));
      return isInvited ? [{ type: 'uninvited', userId, at }] : undefined;
    });
  }

  /** Makes another participant the host. For the host. */
  async makeHost(input: unknown): Promise<SquadShape> {
    return this.ofHost(input, 'make yourself the host; you are', (squad, userId) =>
      takesPart(squad, userId) ? [{ type: 'host', userId, at: nowText() }] : undefined,
    );
  }

  /** Where the viewer is in the workout. An `eventId` that was sent before changes nothing and gives its revision again. */
  async updateWorkout(input: unknown): Promise<{ revision: number; session: SquadShape }> {
    const { squadId, ...update } = validated(UpdateWorkoutShape, input);
    const { userId } = requireUser(this.unit.viewer);
    const before = await this.seen(squadId);
    const known = revisionOf(before, userId, update.eventId);
    if (known !== undefined) return { revision: known, session: present(before) };
    requireActive(before);
    const exercise = await checkUpdate(before, update, this.platform);
    const squad = (await this.hub.journals
      .of(squads)
      .change(squadId, (now) => decideUpdate(now, userId, update, exercise))) as SquadState;
    return {
      revision: revisionOf(squad, userId, update.eventId) ?? squad.revision,
      session: present(squad),
    };
  }

  /** Tells of everything from now on. The state that it begins with is that of the returned replay: nothing is between. */
  async watch(
    id: string,
    fromRevision: number | null | undefined,
    { deliver, onEnd }: SquadWatch,
  ): Promise<Replay & { stop(): void }> {
    const visitor = await this.visitor();
    const { userId } = visitor.viewer;
    await this.seen(id);
    let last = Infinity;
    let stop = (): void => undefined;
    const end = (): void => {
      stop();
      onEnd();
    };
    const following = await this.hub.journals.of(squads).follow(id, (now) => {
      if (now.status === 'NONE') return;
      for (const event of now.events) {
        const isOwnLeaving = event.event === 'squad_left' && event.userId === userId;
        if (event.revision <= last || !(isOwnLeaving || isInRoom(now, visitor))) continue;
        last = event.revision;
        deliver(event, present(now));
        if (isOwnLeaving || event.status === 'ENDED') return end();
      }
      if (!isInRoom(now, visitor)) end();
    });
    const unlisten = this.upkeep.listen(id);
    stop = () => {
      following.stop();
      unlisten();
    };
    const { state } = following;
    if (state.status === 'NONE' || !isInRoom(state, visitor)) {
      stop();
      throw notFound('squad', id);
    }
    last = state.revision;
    if (state.status === 'ENDED') queueMicrotask(end);
    return { ...replayOf(state, fromRevision), stop };
  }

  private async setStatus(input: unknown, status: 'ACTIVE' | 'PAUSED' | 'ENDED'): Promise<SquadShape> {
    const { squadId } = validated(SquadIdShape, input);
    const { userId } = requireUser(this.unit.viewer);
    await this.seen(squadId);
    return this.change(squadId, (squad) => {
      if (squad.status === 'NONE' || !takesPart(squad, userId)) throw notFound('squad', squadId);
      if (squad.hostId !== userId) throw forbidden('Only the host starts, pauses and ends the workout.');
      if (squad.status === status) return [];
      if (squad.status === 'ENDED') throw ended();
      if (squad.status === 'LOBBY' && status === 'PAUSED')
        throw new PlatformError('CONFLICT', 'The workout has not started; start it first.');
      return [{ type: 'status', status, userId, at: nowText() }];
    });
  }

  /** What the host does to another person of the squad; `decide` gives undefined for a stranger. */
  private async ofHost(
    input: unknown,
    whatToOneself: string,
    decide: (squad: SquadState, userId: string) => readonly SquadItem[] | undefined,
  ): Promise<SquadShape> {
    const { squadId, userId: otherId } = validated(SquadMemberShape, input);
    const { userId } = requireUser(this.unit.viewer);
    await this.seen(squadId);
    return this.change(squadId, (squad) => {
      if (squad.status === 'NONE' || !takesPart(squad, userId)) throw notFound('squad', squadId);
      if (squad.hostId !== userId) throw forbidden('Only the host decides about the people of the squad.');
      if (otherId === userId) throw invalid('userId', `expected somebody else: you cannot ${whatToOneself}`);
      if (squad.status === 'ENDED') throw ended();
      const items = decide(squad, otherId);
      if (!items) throw notFound('participant', otherId);
      return items;
    });
  }

  private async change(
    id: string,
    decide: (squad: SquadState | NoSquad) => readonly SquadItem[],
  ): Promise<SquadShape> {
    const { journals } = this.hub;
    const since = nowText();
    const squad = (await journals.of(squads).change(id, decide)) as SquadState;
    await recordSquad(journals, squad, since);
    return present(squad);
  }

  /** The user's own journal names the squad before the squad names them: for the erasure of their account. */
  private async enter(userId: string, squadId: string, gymId: string): Promise<void> {
    await this.hub.journals.of(users).change(userId, (user) => {
      requireStaying(user);
      return user.squads.includes(squadId) ? [] : [{ type: 'entered', squadId, gymId }];
    });
  }

  private unlessGone(userId: string, squadId: string): Promise<void> {
    const { journals } = this.hub;
    return unlessGone(journals, userId, () => forgetInSquad(journals, squadId, userId));
  }

  /**
   * A block that came while the viewer was entering either finds them in the squad, or is found here: it stands in
   * their own journal before it looks for squads that the two share.
   */
  private async unlessBlocked(squad: SquadState): Promise<void> {
    const visitor = await this.visitor();
    const { userId } = visitor.viewer;
    if (!meetsHidden(squad, visitor)) return;
    await this.change(squad.id, (now) =>
      now.status !== 'NONE' && now.status !== 'ENDED' && takesPart(now, userId) && meetsHidden(now, visitor)
        ? [{ type: 'left', userId, banned: false, at: nowText() }]
        : [],
    );
    throw notFound('squad', squad.id);
  }

  /** An id that is no UUID is that of no squad; it reaches no journal. */
  private async read(id: string): Promise<SquadState | NoSquad> {
    return isUuid(id) ? this.upkeep.settled(id) : { status: 'NONE' };
  }

  private async seen(id: string): Promise<SquadState> {
    return requireRoom(await this.read(id), id, await this.visitor());
  }

  private async visitor(): Promise<Visitor> {
    const viewer = requireUser(this.unit.viewer);
    return { viewer, hidden: hiddenFrom(await this.hub.journals.of(users).read(viewer.userId)) };
  }
}

/** @throws NOT_FOUND: nobody outside of a private squad learns that it exists. SQUAD_ENDED for those who could have entered it. */
function requireDoor(squad: SquadState | NoSquad, id: string, visitor: Visitor): SquadState {
  if (squad.status === 'NONE' || !mayEnter(squad, visitor)) throw notFound('squad', id);
  return squad;
}

const keysOf = ({ createdAt, id }: SquadShape): [string, string] => [createdAt, id];
const nowText = (): string => new Date().toISOString();
