import { z } from 'zod';
import { requireOwnGym, requireUser } from '#server/auth/viewer.ts';
import { invalid, notFound } from '#server/errors.ts';
import { isUuid, uuidv7 } from '#server/ids.ts';
import { cursorsOf, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { forgetInSquad } from '../accounts/forgotten.ts';
import { forgetIfErased } from '../accounts/forget-if-erased.ts';
import type { Hub } from '../hub.ts';
import { sliceAfter } from '../lists.ts';
import type { Platform } from '../upstream/platform.ts';
import { moveNames } from '../users/names.journal.ts';
import { requireNotErased, users } from '../users/user.journal.ts';
import { recordSquad } from './finish.ts';
import { lobbyForInvites, openSquadsOf, reserveSquad } from './opening.ts';
import {
  decideHost,
  decideJoin,
  decideKick,
  decideLeave,
  decideLeaveIfBlocked,
  decideStatus,
  nowText,
  requireMayEnter,
} from './squad-decisions.ts';
import {
  maySeeSquad,
  meetsHidden,
  readVisitor,
  requireActive,
  requireSquad,
  requireVisibleSquad,
} from './squad-rights.ts';
import { present, replayOf, type Replay } from './squad-view.ts';
import { watchSquad, type SquadWatch } from './squad-watch.ts';
import { squads, type NoSquad, type SquadItem, type SquadState } from './squad.journal.ts';
import {
  CreateSquadShape,
  JoinSquadShape,
  SquadIdShape,
  SquadMemberShape,
  UpdateWorkoutShape,
  type SquadShape,
} from './squads.shapes.ts';
import type { Upkeep } from './upkeep.ts';
import { checkUpdate, decideUpdate, revisionOf } from './workout-updates.ts';

const cursors = cursorsOf('squads', z.tuple([z.string(), z.string()]));

/** Live squads, which only their participants can see. The server owns their state; each change makes one revision. */
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
   * Opens a squad in LOBBY; the viewer is its host. It trains the present version of the routine.
   * @throws SQUAD_LIMIT, VALIDATION_FAILED for a routine that does not exist
   */
  async create(input: unknown): Promise<SquadShape> {
    const { routineId } = validated(CreateSquadShape, input ?? {});
    const { userId } = requireUser(this.unit.viewer);
    const gymId = requireOwnGym(this.unit.viewer);
    const routine = routineId ? await this.platform.routine(routineId) : null;
    if (routine === undefined)
      throw invalid('routineId', `there is no workout routine "${routineId}" that you may see`);
    const id = uuidv7();
    await reserveSquad(this.hub, this.upkeep, { userId, gymId, squadId: id });
    return this.open({
      id,
      gymId,
      hostId: userId,
      routineId: routine?.id ?? null,
      routineVersion: routine?.version ?? null,
      plan: routine?.plan ?? null,
    });
  }

  /**
   * The viewer's own LOBBY at their gym that nobody else has entered; a new one if they have none.
   * @throws SQUAD_LIMIT
   */
  async ownLobby(): Promise<SquadShape> {
    const { userId } = requireUser(this.unit.viewer);
    const gymId = requireOwnGym(this.unit.viewer);
    const lobby = await lobbyForInvites(this.hub, this.upkeep, { userId, gymId });
    if (!('reservedId' in lobby)) return present(lobby);
    const { reservedId: id } = lobby;
    return this.open({ id, gymId, hostId: userId, routineId: null, routineVersion: null, plan: null });
  }

  /** @throws NOT_FOUND for everybody who may not see the squad */
  async get(id: string): Promise<SquadShape> {
    return present(await this.seen(id));
  }

  /** The same as `get`, but null instead of an error; for references. */
  async find(id: string): Promise<SquadShape | null> {
    const { viewer } = this.unit;
    const squad = await this.read(id);
    if (squad.status === 'NONE' || viewer.kind !== 'user') return null;
    return maySeeSquad(squad, viewer) ? present(squad) : null;
  }

  /** The open squads that the viewer takes part in, newest first. */
  async mine(): Promise<SquadShape[]> {
    const viewer = requireUser(this.unit.viewer);
    const open = await openSquadsOf(this.hub, this.upkeep, viewer.userId);
    return open
      .filter((squad) => maySeeSquad(squad, viewer))
      .map(present)
      .toSorted((one, other) => (keysOf(one) < keysOf(other) ? 1 : -1));
  }

  async minePage(request: PageRequest): Promise<Page<SquadShape>> {
    const after = cursors.read(request.cursor);
    return cursors.page(sliceAfter(await this.mine(), after, keysOf, request), request, keysOf);
  }

  /** The session, with the events after a revision. */
  async replay(id: string, fromRevision: number | null | undefined): Promise<Replay> {
    return replayOf(await this.seen(id), fromRevision);
  }

  /** The viewer enters by an invite that is open or was accepted. If they take part already, nothing changes. */
  async join(input: unknown): Promise<Replay> {
    const { squadId, fromRevision } = validated(JoinSquadShape, input);
    const { journals } = this.hub;
    const visitor = await readVisitor(journals, this.unit.viewer);
    const { userId } = visitor.viewer;
    const { gymId } = requireMayEnter(await this.read(squadId), squadId, visitor);
    await this.enter(userId, squadId, gymId);
    const since = nowText();
    const joined = await journals
      .of(squads)
      .change(squadId, (current) => decideJoin(current, squadId, visitor));
    const squad = requireSquad(joined, squadId);
    await recordSquad(journals, squad, since);
    await this.forgetIfErased(userId, squadId);
    await this.leaveIfBlocked(squad);
    return replayOf(squad, fromRevision);
  }

  /** The viewer leaves. If they were the host, the next participant becomes host; if they were the last, the squad ends. */
  async leave(input: unknown): Promise<SquadShape> {
    const { squadId } = validated(SquadIdShape, input);
    const { userId } = requireUser(this.unit.viewer);
    await this.seen(squadId);
    return this.change(squadId, (squad) => decideLeave(squad, userId));
  }

  /** Begins the workout, or continues it after a pause. Only the host may do this. */
  start(input: unknown): Promise<SquadShape> {
    return this.setStatus(input, 'ACTIVE');
  }

  /** Pauses the workout. Only the host may do this. */
  pause(input: unknown): Promise<SquadShape> {
    return this.setStatus(input, 'PAUSED');
  }

  /** Ends the workout. Only the host may do this. */
  end(input: unknown): Promise<SquadShape> {
    return this.setStatus(input, 'ENDED');
  }

  /** Removes a participant, or ends the right of an invitee to enter. Only the host may do this. */
  async kick(input: unknown): Promise<SquadShape> {
    return this.changeMember(input, decideKick);
  }

  /** Makes another participant the host. Only the host may do this. */
  async makeHost(input: unknown): Promise<SquadShape> {
    return this.changeMember(input, decideHost);
  }

  /** Stores the viewer's progress. An `eventId` that was sent before changes nothing and returns its revision. */
  async updateWorkout(input: unknown): Promise<{ revision: number; session: SquadShape }> {
    const { squadId, ...update } = validated(UpdateWorkoutShape, input);
    const { userId } = requireUser(this.unit.viewer);
    const before = await this.seen(squadId);
    const known = revisionOf(before, userId, update.eventId);
    if (known !== undefined) return { revision: known, session: present(before) };
    requireActive(before);
    const exercise = await checkUpdate(before, update, this.platform);
    const updated = await this.hub.journals
      .of(squads)
      .change(squadId, (current) => decideUpdate(current, squadId, userId, update, exercise));
    const squad = requireSquad(updated, squadId);
    return {
      revision: revisionOf(squad, userId, update.eventId) ?? squad.revision,
      session: present(squad),
    };
  }

  /** Delivers every event after the returned replay. */
  async watch(
    id: string,
    fromRevision: number | null | undefined,
    watch: SquadWatch,
  ): Promise<Replay & { stop(): void }> {
    const viewer = requireUser(this.unit.viewer);
    await this.seen(id);
    const stopUpkeep = this.upkeep.listen(id);
    try {
      const { squad, stop } = await watchSquad(this.hub.journals, id, viewer, {
        deliver: watch.deliver,
        onEnd() {
          stopUpkeep();
          watch.onEnd();
        },
      });
      return {
        ...replayOf(squad, fromRevision),
        stop() {
          stop();
          stopUpkeep();
        },
      };
    } catch (error) {
      stopUpkeep();
      throw error;
    }
  }

  /** Writes a squad whose id is in its host's journal already. If it exists, nothing changes. */
  private async open(
    squad: Omit<Extract<SquadItem, { type: 'created' }>, 'type' | 'at'>,
  ): Promise<SquadShape> {
    const opened = await this.change(squad.id, ({ status }) =>
      status === 'NONE' ? [{ type: 'created', ...squad, at: nowText() }] : [],
    );
    await this.forgetIfErased(squad.hostId, squad.id);
    return opened;
  }

  private async setStatus(input: unknown, status: 'ACTIVE' | 'PAUSED' | 'ENDED'): Promise<SquadShape> {
    const { squadId } = validated(SquadIdShape, input);
    const { userId } = requireUser(this.unit.viewer);
    await this.seen(squadId);
    return this.change(squadId, (squad) => decideStatus(squad, squadId, userId, status));
  }

  private async changeMember(input: unknown, decide: typeof decideKick): Promise<SquadShape> {
    const { squadId, userId: otherId } = validated(SquadMemberShape, input);
    const { userId } = requireUser(this.unit.viewer);
    await this.seen(squadId);
    return this.change(squadId, (squad) => decide(squad, squadId, userId, otherId));
  }

  /** @throws NOT_FOUND if an erasure has removed the squad, the errors of `decide` */
  private async change(
    id: string,
    decide: (squad: SquadState | NoSquad) => readonly SquadItem[],
  ): Promise<SquadShape> {
    const { journals } = this.hub;
    const since = nowText();
    const squad = requireSquad(await journals.of(squads).change(id, decide), id);
    await recordSquad(journals, squad, since);
    return present(squad);
  }

  /**
   * Writes the squad's id into the user's journal, before the user's id is written into the squad's journal: so an erasure of the
   * account finds the squad.
   */
  private async enter(userId: string, squadId: string, gymId: string): Promise<void> {
    const { journals } = this.hub;
    const after = await journals.of(users).change(userId, (user) => {
      requireNotErased(user);
      return user.squads.includes(squadId) ? [] : [{ type: 'entered', squadId, gymId }];
    });
    await moveNames(journals, after);
  }

  private forgetIfErased(userId: string, squadId: string): Promise<void> {
    const { journals } = this.hub;
    return forgetIfErased(journals, userId, () => forgetInSquad(journals, squadId, userId));
  }

  /**
   * Removes the viewer if another participant is hidden from them. A block that was made during `join` has either removed
   * the viewer from the squad already, or is found here: `Blocks.block` writes it into the viewer's journal before it looks
   * for squads in which both users take part.
   */
  private async leaveIfBlocked(squad: SquadState): Promise<void> {
    const visitor = await readVisitor(this.hub.journals, this.unit.viewer);
    if (!meetsHidden(squad, visitor)) return;
    await this.change(squad.id, (current) => decideLeaveIfBlocked(current, visitor));
    throw notFound('squad', squad.id);
  }

  /** The state of the squad. For an id that is not a UUID no journal is read. */
  private async read(id: string): Promise<SquadState | NoSquad> {
    return isUuid(id) ? this.upkeep.settled(id) : { status: 'NONE' };
  }

  private async seen(id: string): Promise<SquadState> {
    return requireVisibleSquad(await this.read(id), id, requireUser(this.unit.viewer));
  }
}

const keysOf = ({ createdAt, id }: SquadShape): [string, string] => [createdAt, id];
