import { requireGym, requireUser } from '#server/auth/viewer.ts';
import { forbidden, notFound, PlatformError } from '#server/errors.ts';
import { isUuid, uuidv7 } from '#server/ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import type { Hub } from '../hub.ts';
import { closeInvites } from '../invites/invite-records.ts';
import type { Platform } from '../upstream/platform.ts';
import { forgetInSquad } from '../accounts/forgotten.ts';
import { unlessGone } from '../accounts/unless-gone.ts';
import { hiddenFrom, requireStaying, users } from '../users/user.journal.ts';
import { present, replayOf, type Replay } from './squad-view.ts';
import { hasLapsed, recordEnd, settle } from './finish.ts';
import { maySee, requireSight, takesPart, type Visitor } from './squad-rights.ts';
import { isPresent, squads, type NoSquad, type SquadItem, type SquadState } from './squad.journal.ts';
import {
  CreateSquadShape,
  JoinSquadShape,
  SquadIdShape,
  UpdateWorkoutShape,
  type SquadEventShape,
  type SquadShape,
} from './squads.shapes.ts';

const MAX_PARTICIPANTS = 20;

export interface SquadWatch {
  /** Called with each event in order, and the session after it. */
  deliver(event: SquadEventShape, session: SquadShape): void;
  /** Called once where there is nothing more to see: she left, or was put out, or the squad has ended. */
  onEnd(): void;
}

/** Live squads: private rooms whose state the server owns. Each change makes one revision. */
export class Squads {
  private readonly unit: UnitOfWork;
  private readonly hub: Hub;
  private readonly platform: Platform;

  constructor(unit: UnitOfWork, hub: Hub, platform: Platform) {
    this.unit = unit;
    this.hub = hub;
    this.platform = platform;
  }

  /** Opens a squad in LOBBY; the viewer is its host. */
  async create(input: unknown): Promise<SquadShape> {
    const { routineId } = validated(CreateSquadShape, input ?? {});
    const { userId } = requireUser(this.unit.viewer);
    const gymId = requireGym(this.unit.viewer);
    const routineVersion = routineId ? await this.versionOf(routineId) : null;
    const id = uuidv7();
    await this.hub.journals.of(users).change(userId, (user) => {
      requireStaying(user);
      return [{ type: 'entered', squadId: id, gymId }];
    });
    const squad = await this.change(id, () => [
      {
        type: 'created',
        id,
        gymId,
        hostId: userId,
        routineId: routineId ?? null,
        routineVersion,
        at: nowText(),
      },
    ]);
    await this.unlessGone(userId, id);
    return squad;
  }

  /** @throws NOT_FOUND for who is neither invited nor a participant. */
  async get(id: string): Promise<SquadShape> {
    return present(await this.seen(id));
  }

  /** As `get`, null instead of an error; for references. */
  async find(id: string): Promise<SquadShape | null> {
    const squad = await this.read(id);
    return this.unit.viewer.kind === 'user' && maySee(squad, await this.visitor()) ? present(squad) : null;
  }

  /** What has happened after a revision. */
  async replay(id: string, fromRevision: number | null | undefined): Promise<Replay> {
    return replayOf(await this.seen(id), fromRevision);
  }

  /** Enters the room; who is in it already stays so. */
  async join(input: unknown): Promise<Replay> {
    const { squadId, fromRevision } = validated(JoinSquadShape, input);
    const visitor = await this.visitor();
    const { userId } = visitor.viewer;
    const { gymId } = await this.seen(squadId);
    await this.hub.journals.of(users).change(userId, (user) => {
      requireStaying(user);
      return user.squads.includes(squadId) ? [] : [{ type: 'entered', squadId, gymId }];
    });
    const squad = await this.hub.journals.of(squads).change(squadId, (now) => {
      const seen = requireSight(now, squadId, visitor);
      if (seen.status === 'ENDED') throw ended();
      if (takesPart(seen, userId)) return [];
      const others = seen.participants.filter(isPresent);
      // To one who is blocked by somebody in it, a squad is not there.
      if (others.some((other) => visitor.hidden.has(other.userId))) throw notFound('squad', squadId);
      if (others.length >= MAX_PARTICIPANTS)
        throw new PlatformError(
          'SQUAD_FULL',
          `A squad has at most ${MAX_PARTICIPANTS} participants; wait until somebody leaves.`,
        );
      return [{ type: 'joined', userId, at: nowText() }];
    });
    await this.unlessGone(userId, squadId);
    await closeInvites(this.hub.journals, userId, 'ACCEPTED', (invite) => invite.squadId === squadId);
    return replayOf(squad as SquadState, fromRevision);
  }

  /** The host's leaving hands over; the last one's ends the squad. Who is not in it stays so. */
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

  /** Where the viewer is in the workout. An `eventId` that was sent before changes nothing and gives its revision again. */
  async updateWorkout(input: unknown): Promise<{ revision: number; session: SquadShape }> {
    const { squadId, ...update } = validated(UpdateWorkoutShape, input);
    const { userId } = requireUser(this.unit.viewer);
    const key = `${userId} ${update.eventId}`;
    await this.seen(squadId);
    const squad = await this.hub.journals.of(squads).change(squadId, (now) => {
      if (now.status === 'NONE') throw notFound('squad', squadId);
      if (now.eventIds.some(([known]) => known === key)) return [];
      if (now.status === 'ENDED') throw ended();
      if (!takesPart(now, userId)) throw forbidden('Join the squad before you train with it.');
      if (now.status === 'PAUSED')
        throw new PlatformError(
          'SQUAD_PAUSED',
          'The host has paused the workout; go on when it is ACTIVE again.',
        );
      return [
        {
          type: 'workout',
          userId,
          ...update,
          set: update.set ?? null,
          restEndsAt: update.restEndsAt ?? null,
          at: nowText(),
        },
      ];
    });
    const made = (squad as SquadState).eventIds.findLast(([known]) => known === key);
    return { revision: made?.[1] ?? (squad as SquadState).revision, session: present(squad as SquadState) };
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
        const sheLeft = event.event === 'squad_left' && event.userId === userId;
        if (event.revision <= last || !(sheLeft || maySee(now, visitor))) continue;
        last = event.revision;
        deliver(event, present(now));
        if (sheLeft || event.status === 'ENDED') return end();
      }
      if (!maySee(now, visitor)) end();
    });
    stop = following.stop;
    if (!maySee(following.state, visitor)) {
      stop();
      throw notFound('squad', id);
    }
    last = following.state.revision;
    if (following.state.status === 'ENDED') queueMicrotask(end);
    return { ...replayOf(following.state, fromRevision), stop };
  }

  private async setStatus(input: unknown, status: 'ACTIVE' | 'PAUSED' | 'ENDED'): Promise<SquadShape> {
    const { squadId } = validated(SquadIdShape, input);
    const { userId } = requireUser(this.unit.viewer);
    await this.seen(squadId);
    return this.change(squadId, (squad) => {
      if (squad.status === 'NONE') throw notFound('squad', squadId);
      if (squad.hostId !== userId) throw forbidden('Only the host starts, pauses and ends the workout.');
      if (squad.status === status) return [];
      if (squad.status === 'ENDED') throw ended();
      if (squad.status === 'LOBBY' && status === 'PAUSED')
        throw new PlatformError('CONFLICT', 'The workout has not started; start it first.');
      return [{ type: 'status', status, userId, at: nowText() }];
    });
  }

  private async change(
    id: string,
    decide: (squad: SquadState | NoSquad) => readonly SquadItem[],
  ): Promise<SquadShape> {
    const squad = (await this.hub.journals.of(squads).change(id, decide)) as SquadState;
    await recordEnd(this.hub.journals, squad);
    return present(squad);
  }

  private unlessGone(userId: string, squadId: string): Promise<void> {
    const { journals } = this.hub;
    return unlessGone(journals, userId, () => forgetInSquad(journals, squadId, userId));
  }

  private async read(id: string): Promise<SquadState | NoSquad> {
    if (!isUuid(id)) return { status: 'NONE' };
    const squad = await this.hub.journals.of(squads).read(id);
    if (squad.status === 'NONE' || !(hasLapsed(squad) || (squad.status === 'ENDED' && !squad.isRecorded)))
      return squad;
    await settle(this.hub.journals, id);
    return this.hub.journals.of(squads).read(id);
  }

  private async seen(id: string): Promise<SquadState> {
    return requireSight(await this.read(id), id, await this.visitor());
  }

  private async visitor(): Promise<Visitor> {
    const viewer = requireUser(this.unit.viewer);
    return { viewer, hidden: hiddenFrom(await this.hub.journals.of(users).read(viewer.userId)) };
  }

  /** A routine that content does not know is refused; where content does not answer, the version stays open. */
  private async versionOf(routineId: string): Promise<number | null> {
    let version: number | null | undefined;
    try {
      version = await this.platform.routineVersion(routineId);
    } catch (error) {
      this.unit.log.warn({ err: error, routineId }, 'a squad was opened without the version of its routine');
      return null;
    }
    if (version === undefined) throw notFound('workout routine', routineId);
    return version;
  }
}

const nowText = (): string => new Date().toISOString();
const ended = () => new PlatformError('SQUAD_ENDED', 'This squad has ended; open a new one.');
