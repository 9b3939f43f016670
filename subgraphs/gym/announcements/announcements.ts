import { LockMode } from '@mikro-orm/core';
import DataLoader from 'dataloader';
import { requireGym, requireGymAdmin, requireUser, runsGym, seesGym } from '#server/auth/viewer.ts';
import { checkVersion, forbidden, notFound } from '#server/errors.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { requireOpenGym } from '../gyms/open-gyms.ts';
import { Announcement } from './announcement.entity.ts';
import { CreateAnnouncementInput, type AnnouncementShape } from './announcements.shapes.ts';

/** News of a gym for its users. */
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

  /** The current announcements, newest first. */
  async current(gymId?: string | null): Promise<AnnouncementShape[]> {
    return (await this.currentByGym.load(requireGym(this.unit.viewer, gymId))).map(present);
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
      return present(announcement);
    });
    this.currentByGym.clear(gymId);
    return created;
  }

  /** @param expectedVersion undefined: any version */
  async delete(id: string, expectedVersion?: number): Promise<void> {
    requireUser(this.unit.viewer);
    await this.unit.transaction(async () => {
      const announcement = await this.unit.em.findOne(
        Announcement,
        { id },
        { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
      );
      if (!announcement || !seesGym(this.unit.viewer, announcement.gymId)) throw notFound('announcement', id);
      if (!runsGym(this.unit.viewer, announcement.gymId))
        throw forbidden("Only the gym's GYM_ADMIN may delete an announcement.");
      checkVersion('announcement', expectedVersion, announcement.version);
      await this.unit.em.nativeDelete(Announcement, { id });
    });
    this.currentByGym.clearAll();
  }
}

const present = (announcement: Announcement): AnnouncementShape => ({
  id: announcement.id,
  gymId: announcement.gymId,
  authorId: announcement.authorId ?? null,
  title: announcement.title,
  text: announcement.text,
  version: announcement.version,
  startsAt: announcement.startsAt.toISOString(),
  endsAt: announcement.endsAt?.toISOString() ?? null,
  createdAt: announcement.createdAt.toISOString(),
});
