import { requireService } from '#server/auth/viewer.ts';
import { noteOutsideEffect } from '#server/outside-effects.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import type { MailDelivery } from '../mail/mail-delivery.ts';
import { MemberMailInput } from './member-mails.shapes.ts';

/** Mails of other services to one user. Only this service stores the email of the user. */
export class MemberMails {
  private readonly unit: UnitOfWork;
  private readonly mails: MailDelivery;

  constructor(unit: UnitOfWork, mails: MailDelivery) {
    this.unit = unit;
    this.mails = mails;
  }

  /** Sends a mail to a user; none if the account has been deleted. Only for services. */
  async send(input: unknown): Promise<void> {
    requireService(this.unit.viewer);
    const { userId, subject, text } = validated(MemberMailInput, input);
    const [user] = await this.unit.read<{ email: string }>('select email from user_account where id = ?', [
      userId,
    ]);
    if (!user) return;
    noteOutsideEffect();
    await this.mails.send({ to: user.email, subject, text }, { isLastAttempt: false }); // the calling service tries again
  }
}
