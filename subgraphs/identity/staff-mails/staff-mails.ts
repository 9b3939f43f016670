import { requireService, Role } from '#server/auth/viewer.ts';
import { noteOutsideEffect } from '#server/outside-effects.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import type { MailDelivery } from '../mail/mail-delivery.ts';
import { StaffMailInput } from './staff-mails.shapes.ts';

/** The maximum number of people who get a mail. */
const MAX_RECEIVERS = 20;

/** Mails of other services to the staff of a gym. */
export class StaffMails {
  private readonly unit: UnitOfWork;
  private readonly mails: MailDelivery;

  constructor(unit: UnitOfWork, mails: MailDelivery) {
    this.unit = unit;
    this.mails = mails;
  }

  /** Sends a mail to the GYM_ADMINs of a gym; to the SUPER_ADMINs if it has none, or if no gym is named. Only for services. */
  async send(input: unknown): Promise<void> {
    requireService(this.unit.viewer);
    const { gymId, subject, text } = validated(StaffMailInput, input);
    const admins =
      gymId === null ? [] : await this.emailsOf('role = ? and gym_id = ?', [Role.GYM_ADMIN, gymId]);
    const receivers = admins.length > 0 ? admins : await this.emailsOf('role = ?', [Role.SUPER_ADMIN]);
    noteOutsideEffect();
    for (const to of receivers) await this.mails.send({ to, subject, text }, { isLastAttempt: false }); // the calling service tries again
  }

  private async emailsOf(where: string, values: readonly string[]): Promise<string[]> {
    const rows = await this.unit.em.execute<{ email: string }[]>(
      `select email from user_account where ${where} order by id limit ${MAX_RECEIVERS}`,
      [...values],
    );
    return rows.map(({ email }) => email);
  }
}
