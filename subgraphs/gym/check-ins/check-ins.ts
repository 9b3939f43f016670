import { raw } from '@mikro-orm/core';
import { z } from 'zod';
import { requireUser, Role, runsGym, type UserViewer } from '#server/auth/viewer.ts';
import { forbidden, invalid, notFound, PlatformError } from '#server/errors.ts';
import { loaderOf } from '#server/loaders.ts';
import { cursorsOf, mapPage, pageSize, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { audit } from '../audit/audit.ts';
import type { Scores } from '../challenges/scores.ts';
import { Location } from '../locations/location.entity.ts';
import { announceOccupancy } from '../locations/occupancy-events.ts';
import { CheckIn, type CheckOutKind } from './check-in.entity.ts';
import { CheckInInput, CheckOutInput, type CheckInShape } from './check-ins.shapes.ts';
import type { Denials } from './denials.ts';
import type { QrCodeHolder, ResolveQrCode } from './qr-codes.ts';

const cursors = cursorsOf('checkIns', z.tuple([z.iso.datetime(), z.uuid()]));

/** Members going in and out. Whatever happens at once, the people inside never exceed a location's capacity. */
export class CheckIns {
  private readonly unit: UnitOfWork;
  private readonly resolveQrCode: ResolveQrCode;
  private readonly scores: Scores;
  private readonly denials: Denials;
  private readonly openByUser = loaderOf<CheckIn>(
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

  constructor(unit: UnitOfWork, resolveQrCode: ResolveQrCode, scores: Scores, denials: Denials) {
    this.unit = unit;
    this.resolveQrCode = resolveQrCode;
    this.scores = scores;
    this.denials = denials;
  }

  /**
   * Lets a member in by her QR code. A second scan of an open visit gives that visit with `duplicate: true`;
   * an open visit elsewhere ends. Refusals are kept with their reason.
   */
  async checkIn(input: unknown): Promise<CheckInShape> {
    const viewer = requireUser(this.unit.viewer);
    const { qrCode, locationId, source, override } = validated(CheckInInput, input);
    // A gym that is being set up is nowhere to be found.
    const location = await this.unit.em.findOne(Location, {
      id: locationId,
      [raw('(select gym.opened_at is not null from gym where gym.id = gym_id)')]: true,
    });
    if (!location) throw notFound('location', locationId);
    const holder = await this.resolveQrCode(qrCode, this.unit.origin);
    try {
      const userId = memberLetIn(viewer, holder, location);
      if (override && !runsGym(viewer, location.gymId))
        throw forbidden('Only staff may let in more people than the location takes.');
      return await this.open({
        userId,
        location,
        source: source ?? null,
        override: override ?? false,
        viewer,
      });
    } catch (refusal) {
      if (refusal instanceof PlatformError)
        await this.denials.keep({
          reason: refusal.code,
          location,
          userId: holder?.userId ?? null,
          presentedBy: viewer.userId,
        });
      throw refusal;
    }
  }

  /** Ends the open visit of the presented code, of `userId`, or of the caller herself. @throws NOT_FOUND where there is none. */
  async checkOut(input: unknown): Promise<CheckInShape> {
    const viewer = requireUser(this.unit.viewer);
    const { qrCode, userId, locationId } = validated(CheckOutInput, input);
    if (qrCode && userId) throw invalid('', 'expected qrCode or userId, not both');
    const memberId = qrCode ? await this.memberOf(qrCode, viewer) : (userId ?? viewer.userId);
    return this.unit.transaction(async () => {
      const visit = await this.unit.em.findOne(CheckIn, {
        userId: memberId,
        checkedOutAt: null,
        expiresAt: { $gt: new Date() },
        ...(locationId && { locationId }),
      });
      const mayEnd = visit && (visit.userId === viewer.userId || runsGym(viewer, visit.gymId));
      if (!visit || !mayEnd) {
        if (memberId !== viewer.userId && viewer.role === Role.MEMBER)
          throw forbidden('You may end your own visit only.');
        throw new PlatformError('NOT_FOUND', 'There is no open visit of this member here.');
      }
      const ended = await this.end({ id: visit.id }, 'MANUAL');
      if (ended.length === 0) throw new PlatformError('NOT_FOUND', 'The visit has just ended.');
      return { ...present(visit), checkedOutAt: new Date().toISOString() };
    });
  }

  /** Staff take back a check-in that should not have been: it counts nowhere, neither inside nor in challenges. Audited. */
  async undo(id: string): Promise<void> {
    const viewer = requireUser(this.unit.viewer);
    await this.unit.transaction(async () => {
      const visit = await this.unit.em.findOne(CheckIn, { id });
      if (
        !visit ||
        visit.checkOutKind === 'UNDONE' ||
        !(visit.userId === viewer.userId || runsGym(viewer, visit.gymId))
      )
        throw notFound('check-in', id);
      if (!runsGym(viewer, visit.gymId)) throw forbidden("Check-ins are undone by the gym's staff.");
      await this.unit.em.nativeUpdate(
        CheckIn,
        { id },
        { checkedOutAt: visit.checkedOutAt ?? new Date(), checkOutKind: 'UNDONE' },
      );
      await audit(this.unit, {
        gymId: visit.gymId,
        actorId: viewer.userId,
        action: 'CHECK_IN_UNDONE',
        details: { checkInId: id, userId: visit.userId ?? null },
      });
      if (visit.userId) await this.scores.countCheckIns(visit.userId, visit.gymId, visit.checkedInAt);
      await announceOccupancy(this.unit, visit.locationId);
    });
  }

  /** The visits of a member, newest first: her own, or for those who run her gym. */
  async ofUser(userId: string, request: PageRequest): Promise<Page<CheckInShape>> {
    const gymId = this.gymSeenOf(userId);
    const [checkedInAt, id] = cursors.read(request.cursor) ?? [];
    const visits = await this.unit.em.find(
      CheckIn,
      {
        userId,
        ...(gymId && { gymId }),
        $and: [
          { $or: [{ checkOutKind: null }, { checkOutKind: { $ne: 'UNDONE' } }] },
          ...(checkedInAt
            ? [
                {
                  $or: [
                    { checkedInAt: { $lt: new Date(checkedInAt) } },
                    { checkedInAt: new Date(checkedInAt), id: { $lt: id } },
                  ],
                },
              ]
            : []),
        ],
      },
      { orderBy: { checkedInAt: 'desc', id: 'desc' }, limit: pageSize(request) + 1 },
    );
    return mapPage(
      cursors.page(visits, request, (visit) => [visit.checkedInAt.toISOString(), visit.id]),
      present,
    );
  }

  /** The open visit of a member, or null; batched. */
  async currentOf(userId: string): Promise<CheckInShape | null> {
    const gymId = this.gymSeenOf(userId);
    const visit = await this.openByUser.load(userId);
    return visit && (!gymId || visit.gymId === gymId) ? present(visit) : null;
  }

  /** @throws NOT_FOUND also for a visit that the viewer may not see. */
  async get(id: string): Promise<CheckInShape> {
    const viewer = requireUser(this.unit.viewer);
    const visit = await this.byId.load(id);
    if (
      !visit ||
      visit.checkOutKind === 'UNDONE' ||
      !(visit.userId === viewer.userId || runsGym(viewer, visit.gymId))
    )
      throw notFound('check-in', id);
    return present(visit);
  }

  private async open({
    userId,
    location,
    source,
    override,
    viewer,
  }: {
    userId: string;
    location: Location;
    source: string | null;
    override: boolean;
    viewer: UserViewer;
  }): Promise<CheckInShape> {
    return this.unit.transaction(async () => {
      const { em } = this.unit;
      // The member first, then the location: two scans of one member wait for each other, and so do two members at one door.
      await em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`check-in:${userId}`]);
      const [{ capacity, maxStayMinutes } = location] = await em.execute<
        { capacity: number; maxStayMinutes: number }[]
      >('select capacity, max_stay_minutes as "maxStayMinutes" from location where id = ? for update', [
        location.id,
      ]);
      const now = new Date();
      await this.end(
        { expiresAt: { $lte: now }, $or: [{ locationId: location.id }, { userId }] },
        'AUTOMATIC',
      );
      const current = await em.findOne(CheckIn, { userId, checkedOutAt: null }, { refresh: true });
      if (current?.locationId === location.id) return { ...present(current), duplicate: true };

      const people = await em.count(CheckIn, { locationId: location.id, checkedOutAt: null });
      if (people >= capacity && !override) {
        throw new PlatformError(
          'LOCATION_FULL',
          `${location.name} is full: ${people} of ${capacity} people are inside. Try again when somebody has left.`,
        );
      }
      if (current) await this.end({ id: current.id }, 'MOVED');
      const visit = em.create(CheckIn, {
        userId,
        gymId: location.gymId,
        locationId: location.id,
        checkedInAt: now,
        expiresAt: new Date(now.getTime() + maxStayMinutes * 60_000),
        checkedOutAt: null,
        checkOutKind: null,
        method: override && people >= capacity ? 'OVERRIDE' : 'QR',
        source,
        checkedInBy: viewer.userId,
      });
      await em.flush();
      if (visit.method === 'OVERRIDE') {
        await audit(this.unit, {
          gymId: location.gymId,
          actorId: viewer.userId,
          action: 'CHECK_IN_OVERRIDE',
          details: { checkInId: visit.id, userId, people, capacity },
        });
      }
      await this.scores.countCheckIns(userId, location.gymId, now);
      await announceOccupancy(this.unit, location.id);
      return present(visit);
    });
  }

  /** Ends what is still open of these visits, each once whoever else tries, and tells the locations. */
  private async end(where: object, kind: CheckOutKind): Promise<CheckIn[]> {
    const open = await this.unit.em.find(CheckIn, { ...where, checkedOutAt: null });
    const ended: CheckIn[] = [];
    for (const visit of open) {
      const checkedOutAt = kind === 'AUTOMATIC' ? visit.expiresAt : new Date();
      if (
        (await this.unit.em.nativeUpdate(
          CheckIn,
          { id: visit.id, checkedOutAt: null },
          { checkedOutAt, checkOutKind: kind },
        )) === 1
      )
        ended.push(visit);
    }
    for (const locationId of new Set(ended.map((visit) => visit.locationId)))
      await announceOccupancy(this.unit, locationId);
    return ended;
  }

  private async memberOf(qrCode: string, viewer: UserViewer): Promise<string> {
    const holder = await this.resolveQrCode(qrCode, this.unit.origin);
    if (viewer.role === Role.MEMBER && holder?.userId !== viewer.userId) throw ownCodeOnly();
    if (!holder) throw qrUnknown();
    return holder.userId;
  }

  /** Undefined: every visit of that member; else only those in the gym that the viewer runs. @throws NOT_FOUND for members. */
  private gymSeenOf(userId: string): string | undefined {
    const viewer = requireUser(this.unit.viewer);
    if (viewer.userId === userId || viewer.role === Role.SUPER_ADMIN) return undefined;
    if (viewer.role === Role.GYM_ADMIN && viewer.gymId) return viewer.gymId;
    throw notFound('check-in of user', userId);
  }
}

/** Who may be let in here by whom. @throws QR_UNKNOWN, WRONG_GYM, FORBIDDEN, GYM_REQUIRED */
function memberLetIn(viewer: UserViewer, holder: QrCodeHolder | null, location: Location): string {
  if (viewer.role === Role.MEMBER && holder?.userId !== viewer.userId) throw ownCodeOnly();
  if (!holder) throw qrUnknown();
  if (viewer.userId === holder.userId && !holder.gymId)
    throw new PlatformError('GYM_REQUIRED', 'You belong to no gym yet; ask an admin to add you to one.');
  const staffElsewhere = viewer.role === Role.GYM_ADMIN && viewer.gymId !== location.gymId;
  if (holder.gymId !== location.gymId || staffElsewhere)
    throw new PlatformError('WRONG_GYM', 'The location belongs to another gym.');
  return holder.userId;
}

const ownCodeOnly = () => forbidden('You may present your own QR code only.');
const qrUnknown = () =>
  new PlatformError(
    'QR_UNKNOWN',
    'No member has this QR code; it may have been renewed. Ask her to show it again.',
  );

const present = (visit: CheckIn): CheckInShape => ({
  id: visit.id,
  userId: visit.userId ?? null,
  gymId: visit.gymId,
  locationId: visit.locationId,
  checkedInAt: visit.checkedInAt.toISOString(),
  // what the sweep has not written yet is over all the same
  checkedOutAt:
    (
      visit.checkedOutAt ?? (visit.expiresAt.getTime() <= Date.now() ? visit.expiresAt : null)
    )?.toISOString() ?? null,
  source: visit.source ?? null,
  method: visit.method,
  duplicate: false,
});
