import { requireGym, requireGymAdmin, requireUser } from '#server/auth/viewer.ts';
import { columnsOf, presented } from '#server/database/columns.ts';
import { lockedForChange } from '#server/database/versioned.ts';
import { listLoaderOf } from '#server/loaders.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { requireManage } from '../access.ts';
import { requireOpenGym } from '../gyms/open-gyms.ts';
import { Announcement } from './announcement.entity.ts';
import { AnnouncementShape, CreateAnnouncementInput } from './announcements.shapes.ts';

const CURRENT = `
  select ${columnsOf(AnnouncementShape)} from announcement, (select ?::timestamptz as now) as request
  where gym_id = any(?::uuid[]) and starts_at <= now and (ends_at is null or ends_at > now)
  order by starts_at desc, id desc`;

/** News of a gym for its users. */
export class Announcements {
  private readonly unit: UnitOfWork;
  private readonly currentByGym = listLoaderOf(
    (gymIds) => this.unit.read<AnnouncementShape>(CURRENT, [new Date().toISOString(), gymIds]),
    (announcement) => announcement.gymId,
  );

  constructor(unit: UnitOfWork) {
    this.unit = unit;
  }

  /** The current announcements, newest first. */
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
      return presented(AnnouncementShape, announcement);
    });
    this.currentByGym.clear(gymId);
    return created;
  }

  /** @param expectedVersion undefined: any version */
  async delete(id: string, expectedVersion?: number): Promise<void> {
    const { viewer } = this.unit;
    requireUser(viewer);
    await this.unit.transaction(async () => {
      await lockedForChange(this.unit, Announcement, {
        what: 'announcement',
        id,
        expectedVersion,
        decide: (announcement) =>
          requireManage(
            viewer,
            'announcement',
            announcement,
            "Only the gym's staff may delete an announcement.",
          ),
      });
      await this.unit.em.nativeDelete(Announcement, { id });
    });
    this.currentByGym.clearAll();
  }
}
