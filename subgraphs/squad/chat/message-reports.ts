import { z } from 'zod';
import { requireGymAdmin, requireUser } from '#server/auth/viewer.ts';
import { forbidden, notFound } from '#server/errors.ts';
import { cursorsOf, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { forgetInGym } from '../accounts/forgotten.ts';
import { forgetIfErased } from '../accounts/forget-if-erased.ts';
import type { Hub } from '../hub.ts';
import { sliceAfter } from '../lists.ts';
import { isPresent, participantOf } from '../squads/squad-rights.ts';
import { squads } from '../squads/squad.journal.ts';
import { chats, messagesOf, type StoredMessage } from './chat.journal.ts';
import { ReportMessageInput, type MessageReportShape } from './messages.shapes.ts';
import { reportItems, reports } from './report.journal.ts';

const cursors = cursorsOf('squad-reports', z.tuple([z.string(), z.string()]));

/** Messages that participants have reported to the staff of the gym. */
export class MessageReports {
  private readonly unit: UnitOfWork;
  private readonly hub: Hub;

  constructor(unit: UnitOfWork, hub: Hub) {
    this.unit = unit;
    this.hub = hub;
  }

  /**
   * Only a user who could read the message in the squad may report it, also after they have left. A second report of a
   * message by the same user replaces the first.
   * @throws CONFLICT if the user has made as many reports as are kept
   */
  async report(input: unknown): Promise<MessageReportShape> {
    const { squadId, messageId, reason } = validated(ReportMessageInput, input);
    const { userId, gymId } = requireUser(this.unit.viewer);
    const { journals } = this.hub;
    const squad = await journals.of(squads).read(squadId);
    const reader = squad.status === 'NONE' ? undefined : participantOf(squad, userId);
    const message = messagesOf(await journals.of(chats).read(squadId)).find(({ id }) => id === messageId);
    if (squad.status === 'NONE' || squad.gymId !== gymId || !reader || !message || message.deleted)
      throw notFound('message', messageId);
    if (!isPresent(reader) && !wasReadBy(message, reader.leftAt)) throw notFound('message', messageId);
    if (message.userId === userId) throw forbidden('This message is your own; delete it instead.');
    const report: MessageReportShape = {
      squadId,
      messageId,
      reporterId: userId,
      authorId: message.userId,
      text: message.text,
      reason: reason ?? null,
      createdAt: new Date().toISOString(),
    };
    await journals.of(reports).change(gymId, (record) => reportItems(record, report));
    for (const named of [userId, message.userId])
      await forgetIfErased(journals, named, () => forgetInGym(journals, gymId, named));
    return report;
  }

  /** For staff of the gym; the latest report first. */
  async list(gymId: string | null | undefined, request: PageRequest): Promise<Page<MessageReportShape>> {
    const own = requireGymAdmin(this.unit.viewer, gymId);
    const after = cursors.read(request.cursor);
    const newestFirst = (await this.hub.journals.of(reports).read(own)).reports.toReversed();
    return cursors.page(sliceAfter(newestFirst, after, keysOf, request), request, keysOf);
  }
}

const wasReadBy = ({ sentAt }: StoredMessage, leftAt: string | null): boolean =>
  leftAt !== null && sentAt <= leftAt;

const keysOf = ({ createdAt, messageId, reporterId }: MessageReportShape): [string, string] => [
  createdAt,
  `${messageId} ${reporterId}`,
];
