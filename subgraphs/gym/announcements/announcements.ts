import { requireGym, requireGymAdmin, requireUser } from '#server/auth/viewer.ts';
import { columnsOf, presented } from '#server/database/columns.ts';
import { lockedForChange } from '#server/database/versioned.ts';
import { invalid } from '#server/errors.ts';
import { listLoaderOf } from '#server/loaders.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { requireManage } from '../access.ts';
import { audit } from '../audit/audit.ts';
import { requireOpenGym } from '../gyms/open-gyms.ts';
import { Announcement } from './announcement.entity.ts';
import {
  AnnouncementShape,
  CreateAnnouncementInput,
  UpdateAnnouncementInput,
} from './announcements.shapes.ts';

/** The maximum number of announcements in the list of a gym. */
const MAX_CURRENT = 200;

const CURRENT = `
  select latest.* from unnest(?::uuid[]) as gym (id) cross join lateral (
    select ${columnsOf(AnnouncementShape)} from announcement, (select ?::timestamptz as now) as request
    where gym_id = gym.id and starts_at <= now and (ends_at is null or ends_at > now)
    order by starts_at desc, announcement.id desc limit ${MAX_CURRENT}
  ) as latest order by latest."startsAt" desc, latest.id desc`;

/** News of a gym for its users. */
export class Announcements {
  private readonly unit: UnitOfWork;
  private readonly currentByGym = listLoaderOf(
    (gymIds) => this.unit.read<AnnouncementShape>(CURRENT, [gymIds, new Date().toISOString()]),
    (announcement) => announcement.gymId,
  );

  constructor(unit: UnitOfWork) {
    this.unit = unit;
  }

  /** The current announcements, newest first, at most 200. */
  async current(gymId?: string | null): Promise<AnnouncementShape[]> {
    return this.currentByGym.load(requireGym(this.unit.viewer, gymId));
  }

  async create(input: unknown): Promise<AnnouncementShape> {
    const { gymId: chosen, startsAt, endsAt, ...rest } = validated(CreateAnnouncementInput, input);
    const gymId = requireGymAdmin(this.unit.viewer, chosen);
    const created = await this.unit.transaction(async () => {
      await requireOpenGym(this.unit, gymId);
      const announcement = this.unit.em.create(Announcement, {
        ...rest,
        gymId,
        authorId: requireUser(this.unit.viewer).userId,
        startsAt: startsAt ? new Date(startsAt) : new Date(),
        endsAt: endsAt ? new Date(endsAt) : null,
        version: 1,
      });
      await this.unit.em.flush();
      await this.audited(announcement, 'ANNOUNCEMENT_CREATED');
      return presented(AnnouncementShape, announcement);
    });
    this.currentByGym.clear(gymId);
    return created;
  }

  /**
   * Changes an announcement. Absent fields are unchanged; `endsAt: null` makes it valid until it is deleted. Audited.
   * @param expectedVersion undefined: `version` of the input. Without both, the last write wins.
   */
  async update(id: string, input: unknown, expectedVersion?: number): Promise<AnnouncementShape> {
    const change = validated(UpdateAnnouncementInput, input);
    const changed = await this.unit.transaction(async () => {
      const announcement = await this.locked(id, expectedVersion ?? change.version, 'change');
      announcement.title = change.title ?? announcement.title;
      announcement.text = change.text ?? announcement.text;
      if (change.startsAt) announcement.startsAt = new Date(change.startsAt);
      if (change.endsAt !== undefined) announcement.endsAt = change.endsAt ? new Date(change.endsAt) : null;
      if (announcement.endsAt && announcement.endsAt <= announcement.startsAt)
        throw invalid('endsAt', 'expected a time after startsAt');
      announcement.version += 1;
      await this.unit.em.flush();
      await this.audited(announcement, 'ANNOUNCEMENT_UPDATED');
      return presented(AnnouncementShape, announcement);
    });
    this.currentByGym.clear(changed.gymId);
    return changed;
  }

  /** Audited. @param expectedVersion undefined: any version */
  async delete(id: string, expectedVersion?: number): Promise<void> {
    await this.unit.transaction(async () => {
      const announcement = await this.locked(id, expectedVersion, 'delete');
      await this.audited(announcement, 'ANNOUNCEMENT_DELETED');
      await this.unit.em.nativeDelete(Announcement, { id });
    });
    this.currentByGym.clearAll();
  }

  private locked(
    id: string,
    expectedVersion: number | null | undefined,
    verb: string,
  ): Promise<Announcement> {
    const viewer = requireUser(this.unit.viewer);
    return lockedForChange(this.unit, Announcement, {
      what: 'announcement',
      id,
      expectedVersion,
      decide: (announcement) =>
        requireManage(
          viewer,
          'announcement',
          announcement,
          `Only the staff of the gym may ${verb} an announcement.`,
        ),
    });
  }

  private audited({ id, gymId }: Announcement, action: string): Promise<void> {
    const { userId } = requireUser(this.unit.viewer);
    return audit(this.unit, { gymId, actorId: userId, action, details: { announcementId: id } });
  }
}
