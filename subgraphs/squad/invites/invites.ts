import { z } from 'zod';
import { requireOwnGym, requireUser } from '#server/auth/viewer.ts';
import { conflict, forbidden, invalid, notFound, PlatformError } from '#server/errors.ts';
import { uuidv7 } from '#server/ids.ts';
import { cursorsOf, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import type { Hub } from '../hub.ts';
import { sliceAfter } from '../lists.ts';
import { maySee, sightOf } from '../presence/visibility.ts';
import type { SquadSettings } from '../settings.ts';
import { isOpen } from '../squads/squad-invites.ts';
import { ended, meetsHidden, takesPart } from '../squads/squad-rights.ts';
import { squads } from '../squads/squad.journal.ts';
import type { Squads } from '../squads/squads.ts';
import type { Platform } from '../upstream/platform.ts';
import { forgetInSquad, forgetInUser } from '../accounts/forgotten.ts';
import { forgetIfErased } from '../accounts/forget-if-erased.ts';
import { moveNames } from '../users/names.journal.ts';
import { hiddenFrom, requireNotErased, users, type UserRecord } from '../users/user.journal.ts';
import { copyOf, decideInvite, settleInvites } from './invite-records.ts';
import {
  presentInvite,
  RespondToInviteShape,
  SendInviteShape,
  type InviteShape,
  type StoredInvite,
} from './invites.shapes.ts';

const INVITES_PER_MINUTE = 30;
const MAX_OPEN_INVITES = 100;

interface InviteWatch {
  /** Called with each open invite to the viewer, then with each new one. */
  onReceived(invite: InviteShape, seq: number): void;
  /** Called if an invite to or from the viewer is answered, revoked, or expires. */
  onUpdated(invite: InviteShape, seq: number): void;
}

const cursors = cursorsOf('invites', z.tuple([z.string(), z.string()]));

/** Invites into a squad, from one user of a gym to another. An invite is open for ten minutes. */
export class Invites {
  private readonly unit: UnitOfWork;
  private readonly hub: Hub;
  private readonly squads: Squads;
  private readonly platform: Pick<Platform, 'isUserOfGym'>;
  private readonly settings: Pick<SquadSettings, 'squadInviteLifetimeMillis'> & { rateLimits: boolean };

  constructor(
    unit: UnitOfWork,
    hub: Hub,
    squadRules: Squads,
    platform: Pick<Platform, 'isUserOfGym'>,
    settings: Pick<SquadSettings, 'squadInviteLifetimeMillis'> & { rateLimits: boolean },
  ) {
    this.unit = unit;
    this.hub = hub;
    this.squads = squadRules;
    this.platform = platform;
    this.settings = settings;
  }

  /**
   * Sends an invite and returns it. Without a squad it is for the viewer's own LOBBY that nobody else has entered. If the viewer
   * has an open invite to the same user and squad, that one is returned instead.
   */
  async send(input: unknown): Promise<InviteShape> {
    const { toUserId, squadId, message } = validated(SendInviteShape, input);
    const { userId } = requireUser(this.unit.viewer);
    const gymId = requireOwnGym(this.unit.viewer);
    if (toUserId === userId) throw invalid('toUserId', 'expected another user, not yourself');
    await this.checkReceiver(userId, gymId, toUserId);
    const squad = squadId ? await this.squads.get(squadId) : await this.squads.ownLobby();
    const createdAt = Date.now();
    const given = await this.addToSquad({
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
    });
    let closedByBlock: 'DECLINED' | 'REVOKED' | undefined;
    for (const [ownerId, box, otherId, status] of [
      [toUserId, 'received', userId, 'DECLINED'],
      [userId, 'sent', toUserId, 'REVOKED'],
    ] as const) {
      const owner = await this.hub.journals
        .of(users)
        .change(ownerId, (user) =>
          user[box].some(({ id }) => id === given.id) ? [] : [{ type: box, invite: given }],
        );
      await moveNames(this.hub.journals, owner);
      if (owner.blocked.includes(otherId)) closedByBlock ??= status;
    }
    await this.forgetIfErased(userId, toUserId, squad.id);
    await this.forgetIfErased(toUserId, userId, squad.id);
    // A block since `checkReceiver` and the copy of the invite are both in the journal of the user who has blocked the other. If
    // the copy came first, the block has closed the invite; if the block came first, it was found above, and the invite is closed
    // here. If the invite was answered, revoked or expired before its copies were written, this updates the copies.
    const decided = await decideInvite(this.hub.journals, given, (invite) =>
      isOpen(invite) ? closedByBlock : undefined,
    );
    return presentInvite(decided ? copyOf(decided) : given);
  }

  /** Invites to the viewer, or from them; newest first. */
  async list(box: 'received' | 'sent', request: PageRequest): Promise<Page<InviteShape>> {
    await settleInvites(this.hub.journals, requireUser(this.unit.viewer).userId);
    const user = await this.own();
    const after = cursors.read(request.cursor);
    return cursors.page(
      sliceAfter(visibleInvites(user, box).toReversed(), after, keysOf, request),
      request,
      keysOf,
    );
  }

  /** Accepts or declines an open invite; the same answer again changes nothing. @throws INVITE_CLOSED */
  async respond(input: unknown): Promise<InviteShape> {
    const { inviteId, accept } = validated(RespondToInviteShape, input);
    const status = accept ? 'ACCEPTED' : 'DECLINED';
    const viewer = requireUser(this.unit.viewer);
    const own = await this.own();
    const invite = visibleInvites(own, 'received').find(({ id }) => id === inviteId);
    if (!invite) throw notFound('invite', inviteId);
    const visitor = { viewer, hidden: hiddenFrom(own) };
    const decided = await decideInvite(this.hub.journals, invite, (current, squad) => {
      // An accepted invite must let the viewer join, so the rights are those of joining.
      if (accept && (squad.gymId !== viewer.gymId || meetsHidden(squad, visitor)))
        throw notFound('invite', inviteId);
      if (current.status === status && !current.isSpent) return undefined;
      if (!isOpen(current)) throw inviteClosed(current);
      return status;
    });
    await this.forgetIfErased(invite.toUserId, invite.fromUserId, invite.squadId);
    if (!decided) throw inviteClosed(invite);
    return copyOf(decided);
  }

  /** Revokes an invite; only its sender may do this. @throws INVITE_CLOSED if it was answered or has expired */
  async revoke(inviteId: string): Promise<void> {
    const user = await this.own();
    const invite = visibleInvites(user, 'sent').find(({ id }) => id === inviteId);
    if (!invite) {
      if (visibleInvites(user, 'received').some(({ id }) => id === inviteId))
        throw forbidden('An invite is revoked by its sender; decline it instead.');
      throw notFound('invite', inviteId);
    }
    const decided = await decideInvite(this.hub.journals, invite, (current) => {
      if (current.status === 'REVOKED') return undefined;
      if (!isOpen(current)) throw inviteClosed(current);
      return 'REVOKED';
    });
    if (!decided && invite.status !== 'REVOKED') throw inviteClosed(invite);
  }

  /** Reports the viewer's open invites, then all changes of their invites. Returns the function that ends this. */
  async watch({ onReceived, onUpdated }: InviteWatch): Promise<() => void> {
    const { userId } = requireUser(this.unit.viewer);
    await settleInvites(this.hub.journals, userId);
    const known = new Map<string, InviteShape['status']>();
    const timers = new Map<string, NodeJS.Timeout>();
    let seq = 0;
    const report = (invite: StoredInvite, toViewer: boolean): void => {
      const shown = presentInvite(invite);
      const before = known.get(invite.id);
      if (before === shown.status) return;
      known.set(invite.id, shown.status);
      clearTimeout(timers.get(invite.id));
      if (shown.status === 'PENDING') {
        timers.set(
          invite.id,
          setTimeout(() => report(invite, toViewer), Date.parse(invite.expiresAt) - Date.now() + 1).unref(),
        );
        if (toViewer) onReceived(shown, seq);
      } else if (before !== undefined) onUpdated(shown, seq);
    };
    let newest: UserRecord | undefined;
    let hasBegun = false;
    const following = await this.hub.journals.of(users).follow(userId, (user) => {
      newest = user;
      if (!hasBegun) return;
      seq = user.inviteSeq;
      const hidden = hiddenFrom(user);
      for (const invite of user.received)
        if (!hidden.has(invite.fromUserId) || known.has(invite.id)) report(invite, true);
      for (const invite of user.sent) report(invite, false);
    });
    const first = newest ?? following.state; // `newest` is a change that came before the watch has begun
    hasBegun = true;
    seq = first.inviteSeq;
    const hidden = hiddenFrom(first);
    for (const invite of first.sent) if (presentInvite(invite).status === 'PENDING') report(invite, false);
    for (const invite of first.received)
      if (presentInvite(invite).status === 'PENDING' && !hidden.has(invite.fromUserId)) report(invite, true);
    for (const invite of [...first.sent, ...first.received])
      if (!known.has(invite.id)) known.set(invite.id, presentInvite(invite).status);
    return () => {
      following.stop();
      for (const timer of timers.values()) clearTimeout(timer);
    };
  }

  /**
   * Throws the same error for every user who cannot be invited: hidden by a block, of another gym, unknown. Neither the
   * error nor its time depends on whether the receiver is online, which would reveal an INVISIBLE member.
   */
  private async checkReceiver(userId: string, gymId: string, toUserId: string): Promise<void> {
    if (this.settings.rateLimits && !(await this.hub.allows(`invites:${userId}`, INVITES_PER_MINUTE))) {
      throw new PlatformError(
        'RATE_LIMITED',
        `More than ${INVITES_PER_MINUTE} invites in a minute; try again in a moment.`,
        { retryAfterSeconds: 60 },
      );
    }
    const own = await this.own();
    requireNotErased(own);
    const isGone = (await this.hub.journals.of(users).read(toUserId)).farewell !== null;
    // Identity is asked in every case: otherwise the time of the answer would reveal who has blocked the sender.
    const isMember = await this.platform.isUserOfGym(toUserId, gymId);
    if (isGone || !isMember || !maySee(sightOf(own), toUserId)) throw notFound('member', toUserId);
  }

  /**
   * Writes the invite into its squad's journal, which gives its receiver the right to enter. If the sender has an open invite to
   * the same user, returns that one and writes nothing.
   */
  private async addToSquad(invite: StoredInvite): Promise<StoredInvite> {
    let given = invite;
    await this.hub.journals.of(squads).change(invite.squadId, (squad) => {
      given = invite;
      if (squad.status === 'NONE' || !takesPart(squad, invite.fromUserId))
        throw notFound('squad', invite.squadId);
      if (squad.status === 'ENDED') throw ended();
      if (takesPart(squad, invite.toUserId)) throw conflict('This member takes part in the squad already.');
      const open = squad.invites.filter((one) => isOpen(one));
      const same = open.find(
        ({ fromUserId, toUserId }) => fromUserId === invite.fromUserId && toUserId === invite.toUserId,
      );
      if (same) {
        given = copyOf(same);
        return [];
      }
      if (open.length >= MAX_OPEN_INVITES)
        throw conflict(`A squad has at most ${MAX_OPEN_INVITES} open invites; wait until one is answered.`);
      return [{ type: 'invite', invite }];
    });
    return given;
  }

  /** Removes the user from the squad and from the other user's journal, if the user's account was erased meanwhile. */
  private forgetIfErased(userId: string, otherId: string, squadId: string): Promise<void> {
    const { journals } = this.hub;
    return forgetIfErased(journals, userId, async () => {
      await forgetInSquad(journals, squadId, userId);
      await forgetInUser(journals, otherId, userId);
    });
  }

  private async own(): Promise<UserRecord> {
    return this.hub.journals.of(users).read(requireUser(this.unit.viewer).userId);
  }
}

const inviteClosed = (invite: StoredInvite): PlatformError =>
  new PlatformError(
    'INVITE_CLOSED',
    `This invite is ${presentInvite(invite).status} and cannot be used again; a new one is needed.`,
  );

const keysOf = (invite: InviteShape): [string, string] => [invite.createdAt, invite.id];

/** The invites of the box, without those from or to users whom a block hides. */
function visibleInvites(user: UserRecord, box: 'received' | 'sent'): InviteShape[] {
  const hidden = hiddenFrom(user);
  return user[box]
    .filter((invite) => !hidden.has(box === 'received' ? invite.fromUserId : invite.toUserId))
    .map((invite) => presentInvite(invite));
}
