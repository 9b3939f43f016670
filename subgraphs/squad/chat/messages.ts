import { z } from 'zod';
import { requireUser, type UserViewer } from '#server/auth/viewer.ts';
import { forbidden, PlatformError } from '#server/errors.ts';
import { isUuid, uuidv7 } from '#server/ids.ts';
import { cursorsOf, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import type { Hub } from '../hub.ts';
import { sliceAfter } from '../lists.ts';
import { requireSight, takesPart } from '../squads/squad-rights.ts';
import { participantOf, squads, type NoSquad, type SquadState } from '../squads/squad.journal.ts';
import { hiddenFrom, users } from '../users/user.journal.ts';
import { forgetInSquad } from '../accounts/forgotten.ts';
import { unlessGone } from '../accounts/unless-gone.ts';
import { chats, messagesOf, sentBefore, type ChatState } from './chat.journal.ts';
import { SendMessageShape, type MessageShape } from './messages.shapes.ts';

const MESSAGES_PER_MINUTE = 120;

export interface MessageWatch {
  deliver(message: MessageShape): void;
  /** Called once where there is nothing more to hear: she left, or was put out, or the squad has ended. */
  onEnd(): void;
}

const cursors = cursorsOf('squad-messages', z.tuple([z.string(), z.string()]));

/** The chat of a squad: for those who have entered it. */
export class Messages {
  private readonly unit: UnitOfWork;
  private readonly hub: Hub;
  private readonly settings: { rateLimits: boolean };

  constructor(unit: UnitOfWork, hub: Hub, settings: { rateLimits: boolean }) {
    this.unit = unit;
    this.hub = hub;
    this.settings = settings;
  }

  /** A `clientId` that the sender has used before in this squad gives the message of then. */
  async send(input: unknown): Promise<MessageShape> {
    const { squadId, text, clientId } = validated(SendMessageShape, input);
    const { userId } = requireUser(this.unit.viewer);
    const squad = await this.seen(squadId);
    const before = clientId
      ? sentBefore(await this.hub.journals.of(chats).read(squadId), userId, clientId)
      : undefined;
    if (before) return before;
    if (squad.status === 'ENDED')
      throw new PlatformError('SQUAD_ENDED', 'This squad has ended; its chat can be read only.');
    if (!takesPart(squad, userId)) throw forbidden('Join the squad before you write to it.');
    if (this.settings.rateLimits && !(await this.hub.allows(`messages:${userId}`, MESSAGES_PER_MINUTE))) {
      throw new PlatformError(
        'RATE_LIMITED',
        `More than ${MESSAGES_PER_MINUTE} messages in a minute; go on in a moment.`,
        { retryAfterSeconds: 60 },
      );
    }
    const id = uuidv7();
    let sent: MessageShape | undefined;
    await this.hub.journals.of(chats).change(squadId, (chat) => {
      sent = clientId ? sentBefore(chat, userId, clientId) : undefined;
      if (sent) return [];
      sent = {
        id,
        squadId,
        userId,
        text,
        clientId: clientId ?? null,
        seq: chat.seq + 1,
        sentAt: new Date().toISOString(),
      };
      return [{ type: 'message', message: sent }];
    });
    const { journals } = this.hub;
    await unlessGone(journals, userId, () => forgetInSquad(journals, squadId, userId));
    return sent as unknown as MessageShape; // set inside the callback, which the compiler does not follow
  }

  /** Newest first. */
  async list(squadId: string, request: PageRequest): Promise<Page<MessageShape>> {
    await this.seen(squadId);
    const after = cursors.read(request.cursor);
    const newestFirst = messagesOf(await this.hub.journals.of(chats).read(squadId)).toReversed();
    return cursors.page(sliceAfter(newestFirst, after, keysOf, request), request, keysOf);
  }

  /** Tells of each message from now on, after those that came after `fromSeq`. Returns what ends it. */
  async watch(
    squadId: string,
    fromSeq: number | null | undefined,
    { deliver, onEnd }: MessageWatch,
  ): Promise<() => void> {
    const squad = await this.seen(squadId);
    const { userId } = requireUser(this.unit.viewer);
    if (!takesPart(squad, userId)) throw forbidden('Join the squad before you listen to it.');
    let heard = Infinity;
    const stops: (() => void)[] = [];
    const stop = (): void => stops.splice(0).forEach((stopOne) => stopOne());
    const endIfOver = (now: SquadState | NoSquad): void => {
      if (stops.length === 0 || (takesPart(now, userId) && now.status !== 'ENDED')) return;
      stop();
      onEnd();
    };
    const hear = (now: ChatState): void => {
      for (const message of newerThan(now, heard)) {
        heard = message.seq;
        deliver(message);
      }
    };
    const chat = await this.hub.journals.of(chats).follow(squadId, hear);
    stops.push(chat.stop);
    const room = await this.hub.journals.of(squads).follow(squadId, endIfOver);
    stops.push(room.stop);
    heard = Math.min(fromSeq ?? Infinity, chat.state.seq);
    hear(chat.state);
    queueMicrotask(() => endIfOver(room.state));
    return stop;
  }

  private async seen(squadId: string): Promise<SquadState> {
    const viewer: UserViewer = requireUser(this.unit.viewer);
    const hidden = hiddenFrom(await this.hub.journals.of(users).read(viewer.userId));
    const squad = requireSight(
      isUuid(squadId) ? await this.hub.journals.of(squads).read(squadId) : { status: 'NONE' },
      squadId,
      { viewer, hidden },
    );
    if (!participantOf(squad, viewer.userId)) throw forbidden('Join the squad before you read its chat.');
    return squad;
  }
}

/** Messages with a higher number, looked for from the end. */
function newerThan({ shared, length }: ChatState, seq: number): MessageShape[] {
  let at = length;
  while (at > 0 && (shared[at - 1]?.seq ?? 0) > seq) at -= 1;
  return shared.slice(at, length);
}

const keysOf = (message: MessageShape): [string, string] => [
  String(message.seq).padStart(12, '0'),
  message.id,
];
