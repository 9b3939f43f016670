import { LockMode } from '@mikro-orm/core';
import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { requireUser, requireUserOrScope, Role } from '#server/auth/viewer.ts';
import { recordEvents } from '#server/events/record-events.ts';
import { forbidden, invalid, notFound, PlatformError } from '#server/errors.ts';
import { isUuid } from '#server/ids.ts';
import { firstItemsLoaderOf, loaderOf } from '#server/loaders.ts';
import { cursorsOf, mapPage, pageSize, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import {
  mayCheckInAt,
  mayEndVisit,
  mayOverride,
  maySeeAllVisitsOf,
  maySeeVisit,
  mayUndoVisit,
} from '../access.ts';
import { audit } from '../audit/audit.ts';
import type { Scores } from '../challenges/scores.ts';
import { withdrawAttendance } from '../classes/attendance.ts';
import { preventWithdrawalOfGym } from '../gyms/gym-locks.ts';
import { requireActiveGym } from '../gyms/open-gyms.ts';
import { shownToPresenter } from '../members/may-enter.ts';
import { lockLocations } from '../locations/location-locks.ts';
import { notifyOccupancy } from '../locations/occupancy-events.ts';
import { levelEvents } from '../locations/occupancy-level.ts';
import { uncachedLoaderOf } from '../uncached-loaders.ts';
import { CheckIn } from './check-in.entity.ts';
import { CheckInInput, CheckOutInput, type CheckedInShape, type CheckInShape } from './check-ins.shapes.ts';
import type { Denials } from './denials.ts';
import { enter, idOf, type EntryLocation, type Presenter } from './entry.ts';
import { lockMember } from './member-lock.ts';
import { isMember, ownerOfValidCode, ownerWhoMayEnter, ownCodeOnly } from './presented-code.ts';
import type { ResolveQrCode } from './qr-codes.ts';
import {
  closedEvents,
  endVisits,
  presentEntity,
  presentVisit,
  VISIT,
  visitEvent,
  type VisitRow,
} from './visits.ts';

const cursors = cursorsOf('checkIns', z.tuple([z.iso.datetime(), uuid()]));

/** A location that is closed for good, and a location of a gym that is still being set up, do not exist for callers. */
const ENTRY_LOCATION = `select location.id, gym_id as "gymId", location.name, gym.active from location join gym on gym.id = gym_id
  where location.id = ? and location.closed_at is null and gym.opened_at is not null`;

/** Check-ins and check-outs. Without an override, the people inside never exceed a location's capacity, even with simultaneous scans. */
export class CheckIns {
  private readonly unit: UnitOfWork;
  private readonly resolveQrCode: ResolveQrCode;
  private readonly scores: Scores;
  private readonly denials: Denials;
  private readonly openByUser = uncachedLoaderOf<CheckIn>(
    (userIds) =>
      this.unit.em.find(CheckIn, {
        userId: { $in: [...userIds] },
        checkedOutAt: null,
        expiresAt: { $gt: new Date() },
      }),
    (visit) => visit.userId ?? '',
  );
  private readonly byId = loaderOf(
    (ids) => this.unit.em.find(CheckIn, { id: { $in: [...ids] } }),
    (visit) => visit.id,
  );
  private readonly latestOfUser = firstItemsLoaderOf(
    (userIds, count) => this.latestVisits(userIds, count),
    (visit) => visit.userId ?? '',
  );

  constructor(
    unit: UnitOfWork,
    resolveQrCode: ResolveQrCode,
    { scores, denials }: { scores: Scores; denials: Denials },
  ) {
    this.unit = unit;
    this.resolveQrCode = resolveQrCode;
    this.scores = scores;
    this.denials = denials;
  }

  /**
   * Checks a member in by their QR code. A second scan during an open visit returns that visit with `duplicate: true`; an open
   * visit at another location ends. Denials are stored with their reason. Callers other than the member also get the
   * member's name, picture and membership.
   */
  async checkIn(input: unknown): Promise<CheckedInShape> {
    const viewer = requireUserOrScope(this.unit.viewer, 'check-in');
    const { qrCode, locationId, source, override } = validated(CheckInInput, input);
    const [location] = await this.unit.read<EntryLocation & { active: boolean }>(ENTRY_LOCATION, [
      locationId,
    ]);
    if (!location || !mayCheckInAt(viewer, location)) throw notFound('location', locationId);
    const owner = await this.resolveQrCode(qrCode, this.unit.origin);
    try {
      requireActiveGym(location);
      const { userId, isShortLived } = ownerWhoMayEnter(viewer, owner, location);
      if (override && !mayOverride(viewer, location))
        throw forbidden(
          'Only staff may let people in who exceed the capacity, or outside of the opening hours.',
        );
      const visit = await enter(this.unit, this.scores, {
        userId,
        location,
        isShortLived,
        source: source ?? null,
        override: override ?? false,
        viewer,
      });
      return owner && idOf(viewer) !== userId
        ? { ...visit, member: shownToPresenter(viewer, owner.member) }
        : visit;
    } catch (refusal) {
      if (refusal instanceof PlatformError)
        await this.unit.transaction(async () => {
          if (!(await this.keepLocation(location))) return; // the gym was withdrawn in the meantime
          await this.denials.keep({
            reason: refusal.code,
            location,
            userId: owner?.userId ?? null,
            presentedBy: idOf(viewer),
          });
        });
      throw refusal;
    }
  }

  /**
   * Ends the open visit of the code's owner, of `userId`, or of the caller.
   * @throws NOT_FOUND if there is none; FORBIDDEN for a member who names another member; QR_UNKNOWN, QR_EXPIRED
   */
  async checkOut(input: unknown): Promise<CheckInShape> {
    const viewer = requireUserOrScope(this.unit.viewer, 'check-in');
    const { qrCode, userId, locationId } = validated(CheckOutInput, input);
    if (qrCode && userId) throw invalid('', 'expected qrCode or userId, not both');
    if (viewer.kind === 'client' && !qrCode && !userId)
      throw invalid('qrCode', 'expected the code of a member');
    const memberId = qrCode ? await this.memberOf(qrCode, viewer) : (userId ?? idOf(viewer));
    return this.unit.transaction(async () => {
      const visit = await this.unit.em.findOne(CheckIn, {
        userId: memberId,
        checkedOutAt: null,
        expiresAt: { $gt: new Date() },
        ...(locationId && { locationId }),
      });
      if (!visit || !mayEndVisit(viewer, visit)) {
        if (memberId !== idOf(viewer) && isMember(viewer))
          throw forbidden('You may end only your own visit.');
        throw new PlatformError('NOT_FOUND', 'There is no open visit of this member here.');
      }
      const locations = await lockLocations(this.unit, 'id = ?', [visit.locationId]);
      const ended = await endVisits(this.unit, 'id = ?', [visit.id], 'MANUAL');
      if (!ended[0]) throw new PlatformError('NOT_FOUND', 'The visit has just ended.');
      await recordEvents(this.unit, [...closedEvents(ended), ...(await levelEvents(this.unit, locations))]);
      return ended[0];
    });
  }

  /** Staff undo a mistaken check-in: it no longer counts for occupancy, challenges and the attendance of classes. Audited. */
  async undo(id: string): Promise<void> {
    const viewer = requireUser(this.unit.viewer);
    await this.unit.transaction(async () => {
      const found = await this.unit.em.findOne(CheckIn, { id });
      if (found?.userId) await lockMember(this.unit, found.userId);
      const locations = found ? await lockLocations(this.unit, 'id = ?', [found.locationId]) : [];
      const visit = await this.unit.em.findOne(
        CheckIn,
        { id },
        { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
      );
      if (!visit || visit.checkOutKind === 'UNDONE' || !maySeeVisit(viewer, visit))
        throw notFound('check-in', id);
      if (!mayUndoVisit(viewer, visit)) throw forbidden("Only the gym's staff may undo a check-in.");
      // An expired visit has ended at its expiry, even if the job has not written it yet.
      const checkedOutAt = visit.checkedOutAt ?? new Date(Math.min(Date.now(), visit.expiresAt.getTime()));
      await this.unit.em.nativeUpdate(CheckIn, { id }, { checkedOutAt, checkOutKind: 'UNDONE' });
      await audit(this.unit, {
        gymId: visit.gymId,
        actorId: viewer.userId,
        action: 'CHECK_IN_UNDONE',
        details: { checkInId: id, userId: visit.userId ?? null },
      });
      if (visit.userId) {
        const { userId, gymId, locationId, checkedInAt } = visit;
        await this.scores.countCheckIns(userId, gymId, checkedInAt);
        // Sessions are locked after challenges, as in `eraseMember`.
        await withdrawAttendance(this.unit, { userId, locationId, checkedInAt });
      }
      await notifyOccupancy(this.unit, visit.locationId);
      await recordEvents(this.unit, [
        visitEvent('check_in.undone', { ...presentEntity(visit), checkedOutAt: checkedOutAt.toISOString() }),
        ...(await levelEvents(this.unit, locations)),
      ]);
    });
  }

  /**
   * The visits of a member, newest first: all of them for the member themselves and for a SUPER_ADMIN, those in their own gym
   * for a GYM_ADMIN. First pages are batched.
   */
  async ofUser(userId: string, request: PageRequest): Promise<Page<CheckInShape>> {
    const gymId = this.gymSeenOf(userId);
    const after = cursors.read(request.cursor);
    const count = pageSize(request) + 1;
    const visits = after
      ? await this.unit.read<VisitRow>(
          `select ${VISIT} from check_in where user_id = ?${gymId ? ' and gym_id = ?' : ''}
           and check_out_kind is distinct from 'UNDONE' and (checked_in_at, id) < (?, ?)
           order by checked_in_at desc, id desc limit ?`,
          [userId, ...(gymId ? [gymId] : []), ...after, count],
        )
      : await this.latestOfUser(userId, count);
    return mapPage(
      cursors.page(visits, request, (visit) => [visit.checkedInAt, visit.id]),
      presentVisit,
    );
  }

  /** The open visit of a member; null if there is none that the viewer may see. Batched. @throws NOT_FOUND, as `gymSeenOf` */
  async currentOf(userId: string): Promise<CheckInShape | null> {
    const gymId = this.gymSeenOf(userId);
    const visit = await this.openByUser.load(userId);
    return visit && (!gymId || visit.gymId === gymId) ? presentEntity(visit) : null;
  }

  /** @throws NOT_FOUND, also for a visit that the viewer may not see */
  async get(id: string): Promise<CheckInShape> {
    const viewer = requireUser(this.unit.viewer);
    const visit = isUuid(id) ? await this.byId.load(id) : null;
    if (!visit || visit.checkOutKind === 'UNDONE' || !maySeeVisit(viewer, visit))
      throw notFound('check-in', id);
    return presentEntity(visit);
  }

  /** For each of these members, the latest visits that the viewer may see (`gymSeenOf`). */
  private latestVisits(userIds: readonly string[], count: number): Promise<VisitRow[]> {
    return this.unit.read<VisitRow>(
      `select latest.* from unnest(?::uuid[], ?::uuid[]) as member (user_id, seen_gym_id) cross join lateral (
         select ${VISIT} from check_in
         where user_id = member.user_id and (member.seen_gym_id is null or gym_id = member.seen_gym_id)
           and check_out_kind is distinct from 'UNDONE'
         order by checked_in_at desc, id desc limit ?
       ) as latest order by latest."checkedInAt" desc, latest.id desc`,
      [userIds, userIds.map((userId) => this.gymSeenOf(userId) ?? null), count],
    );
  }

  /** Keeps a location and its gym from being deleted until the transaction ends; false if they have been deleted. */
  private async keepLocation({ id, gymId }: EntryLocation): Promise<boolean> {
    if (!(await preventWithdrawalOfGym(this.unit, gymId))) return false;
    const rows = await this.unit.em.execute<unknown[]>('select 1 from location where id = ? for key share', [
      id,
    ]);
    return rows.length > 0;
  }

  private async memberOf(qrCode: string, viewer: Presenter): Promise<string> {
    const owner = await this.resolveQrCode(qrCode, this.unit.origin);
    if (isMember(viewer) && owner?.userId !== viewer.userId) throw ownCodeOnly();
    return ownerOfValidCode(owner).userId;
  }

  /**
   * The gym in which the viewer may see the user's visits; undefined if they may see the visits in all gyms.
   * @throws NOT_FOUND if they may see no visits of the user
   */
  private gymSeenOf(userId: string): string | undefined {
    const viewer = requireUser(this.unit.viewer);
    if (!isUuid(userId)) throw notFound('check-in of user', userId);
    if (maySeeAllVisitsOf(viewer, userId)) return undefined;
    if (viewer.role === Role.GYM_ADMIN && viewer.gymId) return viewer.gymId;
    throw notFound('check-in of user', userId);
  }
}
