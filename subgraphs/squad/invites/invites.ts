import { z } from 'zod';
import { requireGym, requireUser } from '#server/auth/viewer.ts';
import { forbidden, invalid, notFound, PlatformError } from '#server/errors.ts';
import { uuidv7 } from '#server/ids.ts';
import { cursorsOf, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import type { Hub } from '../hub.ts';
import { sliceAfter } from '../lists.ts';
import { maySee, sightOf } from '../presence/visibility.ts';
import type { SquadSettings } from '../settings.ts';
import { requireSight, takesPart } from '../squads/squad-rights.ts';
import { squads } from '../squads/squad.journal.ts';
import type { Squads } from '../squads/squads.ts';
import type { Platform } from '../upstream/platform.ts';
import { forgetInSquad, forgetInUser } from '../accounts/forgotten.ts';
import { unlessGone } from '../accounts/unless-gone.ts';
import { hiddenFrom, requireStaying, users, type UserRecord } from '../users/user.journal.ts';
import { closeInvite } from './invite-records.ts';
import {
  presentInvite,
  RespondToInviteShape,
  SendInviteShape,
  type InviteShape,
  type StoredInvite,
} from './invites.shapes.ts';

const INVITES_PER_MINUTE = 30;

export interface InviteWatch {
  /** An invite to the viewer: each open one at first, then each new one. */
  onReceived(invite: InviteShape, seq: number): void;
  /** An invite to or from the viewer was answered, revoked, or has expired. */
  onUpdated(invite: InviteShape, seq: number): void;
}

const cursors = cursorsOf('invites', z.tuple([z.string(), z.string()]));

/** "Train with me": from one member of a gym to another, for ten minutes. */
export class Invites {
  private readonly unit: UnitOfWork;
  private readonly hub: Hub;
  private readonly squads: Squads;
  private readonly platform: Platform;
  private readonly settings: Pick<SquadSettings, 'squadInviteLifetimeMillis'> & { rateLimits: boolean };

  constructor(
    unit: UnitOfWork,
    hub: Hub,
    squadRules: Squads,
    platform: Platform,
    settings: Pick<SquadSettings, 'squadInviteLifetimeMillis'> & { rateLimits: boolean },
  ) {
    this.unit = unit;
    this.hub = hub;
    this.squads = squadRules;
    this.platform = platform;
    this.settings = settings;
  }

  /** Without a squad, one is opened with the viewer as its host. An open invite to the same squad is given again. */
  async send(input: unknown): Promise<InviteShape> {
    const { toUserId, squadId, message } = validated(SendInviteShape, input);
    const { userId } = requireUser(this.unit.viewer);
    const gymId = requireGym(this.unit.viewer);
    if (toUserId === userId) throw invalid('toUserId', 'expected somebody else than yourself');
    await this.checkReceiver(userId, gymId, toUserId);
    const squad = squadId ? await this.squads.get(squadId) : await this.squads.create({});
    const createdAt = Date.now();
    const invite: StoredInvite = {
      id: uuidv7(),
      squadId: squad.id,
      gymId,
      fromUserId: userId,
      toUserId,
      message: message || null,
      status: 'PENDING',
      createdAt: new Date(createdAt).toISOString(),
      expiresAt: new Date(createdAt + this.settings.squadInviteLifetimeMillis).toISOString(),
      respondedAt: null,
    };
    const given = await this.giveRight(invite);
    await this.hub.journals
      .of(users)
      .change(toUserId, ({ received }) =>
        received.some(({ id }) => id === given.id) ? [] : [{ type: 'received', invite: given }],
      );
    await this.hub.journals
      .of(users)
      .change(userId, ({ sent }) =>
        sent.some(({ id }) => id === given.id) ? [] : [{ type: 'sent', invite: given }],
      );
    await this.unlessGone(userId, toUserId, squad.id);
    await this.unlessGone(toUserId, userId, squad.id);
    return presentInvite(given);
  }

  /** Those to the viewer, or from her; newest first. */
  async list(box: 'received' | 'sent', request: PageRequest): Promise<Page<InviteShape>> {
    const user = await this.own();
    const after = cursors.read(request.cursor);
    return cursors.page(
      sliceAfter(visibleInvites(user, box).toReversed(), after, keysOf, request),
      request,
      keysOf,
    );
  }

  /** An open one is accepted or declined; the same answer again changes nothing. @throws INVITE_CLOSED */
  async respond(input: unknown): Promise<InviteShape> {
    const { inviteId, accept } = validated(RespondToInviteShape, input);
    const status = accept ? 'ACCEPTED' : 'DECLINED';
    const invite = visibleInvites(await this.own(), 'received').find(({ id }) => id === inviteId);
    if (!invite) throw notFound('invite', inviteId);
    if (invite.status === status) return invite;
    const closed = await closeInvite(this.hub.journals, invite, status);
    await this.unlessGone(invite.toUserId, invite.fromUserId, invite.squadId);
    if (!closed) throw await this.closed(inviteId);
    return closed;
  }

  /** By who sent it. */
  async revoke(inviteId: string): Promise<void> {
    const user = await this.own();
    const invite = visibleInvites(user, 'sent').find(({ id }) => id === inviteId);
    if (!invite) {
      if (visibleInvites(user, 'received').some(({ id }) => id === inviteId))
        throw forbidden('An invite is revoked by its sender; decline it instead.');
      throw notFound('invite', inviteId);
    }
    if (invite.status === 'REVOKED') return;
    const closed =
      invite.status === 'PENDING' ? await closeInvite(this.hub.journals, invite, 'REVOKED') : undefined;
    if (!closed)
      throw new PlatformError(
        'INVITE_CLOSED',
        `This invite is ${invite.status}; only an open one is revoked.`,
      );
  }

  /** Tells of the viewer's invites on this device: what is open now, then all that happens. Returns what ends it. */
  async watch({ onReceived, onUpdated }: InviteWatch): Promise<() => void> {
    const { userId } = requireUser(this.unit.viewer);
    const known = new Map<string, InviteShape['status']>();
    const timers = new Map<string, NodeJS.Timeout>();
    let seq = 0;
    const tell = (invite: StoredInvite, toViewer: boolean): void => {
      const shown = presentInvite(invite);
      const before = known.get(invite.id);
      if (before === shown.status) return;
      known.set(invite.id, shown.status);
      clearTimeout(timers.get(invite.id));
      if (shown.status === 'PENDING') {
        timers.set(
          invite.id,
          setTimeout(() => tell(invite, toViewer), Date.parse(invite.expiresAt) - Date.now() + 1).unref(),
        );
        if (toViewer) onReceived(shown, seq);
      } else if (before !== undefined) onUpdated(shown, seq);
    };
    const following = await this.hub.journals.of(users).follow(userId, (user) => {
      seq = user.inviteSeq;
      const hidden = hiddenFrom(user);
      for (const invite of user.received)
        if (!hidden.has(invite.fromUserId) || known.has(invite.id)) tell(invite, true);
      for (const invite of user.sent) tell(invite, false);
    });
    seq = following.state.inviteSeq;
    const hidden = hiddenFrom(following.state);
    for (const invite of following.state.sent)
      if (presentInvite(invite).status === 'PENDING') tell(invite, false);
    for (const invite of following.state.received)
      if (presentInvite(invite).status === 'PENDING' && !hidden.has(invite.fromUserId)) tell(invite, true);
    for (const invite of [...following.state.sent, ...following.state.received])
      if (!known.has(invite.id)) known.set(invite.id, presentInvite(invite).status);
    return () => {
      following.stop();
      for (const timer of timers.values()) clearTimeout(timer);
    };
  }

  /** One answer for all who cannot be invited: blocked, another gym's, not there. */
  private async checkReceiver(userId: string, gymId: string, toUserId: string): Promise<void> {
    if (this.settings.rateLimits && !(await this.hub.allows(`invites:${userId}`, INVITES_PER_MINUTE))) {
      throw new PlatformError(
        'RATE_LIMITED',
        `More than ${INVITES_PER_MINUTE} invites in a minute; go on in a moment.`,
        { retryAfterSeconds: 60 },
      );
    }
    const own = await this.own();
    requireStaying(own);
    const isGone = (await this.hub.journals.of(users).read(toUserId)).farewell !== null;
    // Asked for everybody: the time of the answer must not tell who is online unseen, or has blocked the sender.
    const isMember = await this.platform.isUserOfGym(toUserId, gymId);
    if (isGone || !isMember || !maySee(sightOf(own), toUserId)) throw notFound('member', toUserId);
  }

  private async giveRight(invite: StoredInvite): Promise<StoredInvite> {
    let given = invite;
    const viewer = requireUser(this.unit.viewer);
    const visitor = { viewer, hidden: new Set<string>() };
    const previous = (await this.hub.journals.of(users).read(invite.toUserId)).received;
    await this.hub.journals.of(squads).change(invite.squadId, (now) => {
      given = invite;
      const squad = requireSight(now, invite.squadId, visitor);
      if (squad.status === 'ENDED')
        throw new PlatformError('SQUAD_ENDED', 'This squad has ended; open a new one.');
      if (!takesPart(squad, viewer.userId)) throw forbidden('Join the squad before you invite others to it.');
      if (takesPart(squad, invite.toUserId))
        throw new PlatformError('CONFLICT', 'She takes part in this squad already.');
      const open = squad.invited[invite.toUserId];
      if (
        open?.status === 'PENDING' &&
        open.fromUserId === viewer.userId &&
        Date.parse(open.expiresAt) > Date.now()
      ) {
        given = previous.find(({ id }) => id === open.inviteId) ?? {
          ...invite,
          id: open.inviteId,
          expiresAt: open.expiresAt,
        };
        return [];
      }
      return [
        {
          type: 'invited',
          userId: invite.toUserId,
          invited: {
            inviteId: invite.id,
            fromUserId: viewer.userId,
            status: 'PENDING',
            expiresAt: invite.expiresAt,
          },
        },
      ];
    });
    return given;
  }

  /** What the invite told of a user whose account was erased meanwhile is taken back. */
  private unlessGone(userId: string, otherId: string, squadId: string): Promise<void> {
    const { journals } = this.hub;
    return unlessGone(journals, userId, async () => {
      await forgetInSquad(journals, squadId, userId);
      await forgetInUser(journals, otherId, userId);
    });
  }

  private async closed(inviteId: string): Promise<PlatformError> {
    const invite = visibleInvites(await this.own(), 'received').find(({ id }) => id === inviteId);
    return new PlatformError(
      'INVITE_CLOSED',
      `This invite is ${invite?.status ?? 'gone'}; ask for a new one.`,
    );
  }

  private async own(): Promise<UserRecord> {
    return this.hub.journals.of(users).read(requireUser(this.unit.viewer).userId);
  }
}

const keysOf = (invite: InviteShape): [string, string] => [invite.createdAt, invite.id];

/** Without those between two of whom one has blocked the other. */
function visibleInvites(user: UserRecord, box: 'received' | 'sent'): InviteShape[] {
  const hidden = hiddenFrom(user);
  return user[box]
    .filter((invite) => !hidden.has(box === 'received' ? invite.fromUserId : invite.toUserId))
    .map((invite) => presentInvite(invite));
}
