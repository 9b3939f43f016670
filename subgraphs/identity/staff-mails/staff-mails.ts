import { requireService, Role } from '#server/auth/viewer.ts';
import { addJobs } from '#server/jobs/add-job.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { mailStaff } from './mail-staff.ts';
import { StaffMail } from './staff-mail.entity.ts';
import { StaffMailInput } from './staff-mails.shapes.ts';

/** The maximum number of receivers of one mail. */
const MAX_RECEIVERS = 20;

/** Mails of other services to the staff of a gym. */
export class StaffMails {
  private readonly unit: UnitOfWork;

  constructor(unit: UnitOfWork) {
    this.unit = unit;
  }

  /**
   * Stores a mail to the GYM_ADMINs of a gym; to the SUPER_ADMINs if the gym has none, or if no gym is named. A job for each
   * receiver sends it. Only for services.
   */
  async send(input: unknown): Promise<void> {
    requireService(this.unit.viewer);
    const { gymId, subject, text } = validated(StaffMailInput, input);
    await this.unit.transaction(async () => {
      const admins =
        gymId === null ? [] : await this.idsOf('role = ? and gym_id = ?', [Role.GYM_ADMIN, gymId]);
      const receivers = admins.length > 0 ? admins : await this.idsOf('role = ?', [Role.SUPER_ADMIN]);
      if (receivers.length === 0) return;
      const mail = this.unit.em.create(StaffMail, { subject, text });
      await this.unit.em.flush();
      await addJobs(
        this.unit.em,
        mailStaff,
        receivers.map((userId) => ({ mailId: mail.id, userId, gymId })),
      );
    });
  }

  private async idsOf(where: string, values: readonly string[]): Promise<string[]> {
    const rows = await this.unit.em.execute<{ id: string }[]>(
      `select id from user_account where ${where} order by id limit ${MAX_RECEIVERS}`,
      [...values],
    );
    return rows.map(({ id }) => id);
  }
}
