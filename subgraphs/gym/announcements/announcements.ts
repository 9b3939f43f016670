import DataLoader from 'dataloader';
import { requireGym, requireGymAdmin, requireUser, runsGym, seesGym } from '#server/auth/viewer.ts';
import { forbidden, notFound } from '#server/errors.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { requireOpenGym } from '../gyms/open-gyms.ts';
import { Announcement } from './announcement.entity.ts';
import { CreateAnnouncementInput, type AnnouncementShape } from './announcements.shapes.ts';

/** What a gym tells its people. */
export class Announcements {
  private readonly unit: UnitOfWork;
  private readonly currentByGym = new DataLoader<string, Announcement[]>(async (gymIds) => {
    const now = new Date();
    const found = await this.unit.em.find(
      Announcement,
      {
        gymId: { $in: [...gymIds] },
        startsAt: { $lte: now },
        $or: [{ endsAt: null }, { endsAt: { $gt: now } }],
      },
      { orderBy: { startsAt: 'desc', id: 'desc' } },
    );
    return gymIds.map((gymId) => found.filter((announcement) => announcement.gymId === gymId));
  });

  constructor(unit: UnitOfWork) {
    this.unit = unit;
  }

  /** Those that hold now, newest first. */
  async current(gymId?: string | null): Promise<AnnouncementShape[]> {
    return (await this.currentByGym.load(requireGym(this.unit.viewer, gymId))).map(present);
  }

  async create(input: unknown): Promise<AnnouncementShape> {
    const { gymId, startsAt, endsAt, ...rest } = validated(CreateAnnouncementInput, input);
    const announcement = this.unit.em.create(Announcement, {
      ...rest,
      gymId: await requireOpenGym(this.unit, requireGymAdmin(this.unit.viewer, gymId)),
      authorId: requireUser(this.unit.viewer).userId,
      startsAt: startsAt ? new Date(startsAt) : new Date(),
      endsAt: endsAt ? new Date(endsAt) : null,
    });
    await this.unit.em.flush();
    return present(announcement);
  }

  async delete(id: string): Promise<void> {
    requireUser(this.unit.viewer);
    const announcement = await this.unit.em.findOne(Announcement, { id });
    if (!announcement || !seesGym(this.unit.viewer, announcement.gymId)) throw notFound('announcement', id);
    if (!runsGym(this.unit.viewer, announcement.gymId))
      throw forbidden("Announcements are deleted by the gym's GYM_ADMIN.");
    await this.unit.em.nativeDelete(Announcement, { id });
  }
}

const present = (announcement: Announcement): AnnouncementShape => ({
  id: announcement.id,
  gymId: announcement.gymId,
  authorId: announcement.authorId ?? null,
  title: announcement.title,
  text: announcement.text,
  startsAt: announcement.startsAt.toISOString(),
  endsAt: announcement.endsAt?.toISOString() ?? null,
  createdAt: announcement.createdAt.toISOString(),
});
