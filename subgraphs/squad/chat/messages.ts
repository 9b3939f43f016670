import { z } from 'zod';
import { requireUser } from '#server/auth/viewer.ts';
import { forbidden, notFound, PlatformError } from '#server/errors.ts';
import { isUuid, uuidv7 } from '#server/ids.ts';
import { cursorsOf, mapPage, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import type { Hub } from '../hub.ts';
import { sliceAfter } from '../lists.ts';
import { isInRoom, requireRoom, takesPart, type Visitor } from '../squads/squad-rights.ts';
import { squads, type NoSquad, type SquadState } from '../squads/squad.journal.ts';
import { hiddenFrom, users } from '../users/user.journal.ts';
import { forgetInSquad } from '../accounts/forgotten.ts';
import { unlessGone } from '../accounts/unless-gone.ts';
import {
  chats,
  messagesOf,
  presentMessage,
  sentBefore,
  withoutText,
  type ChatState,
  type StoredMessage,
} from './chat.journal.ts';
import { MessageIdShape, SendMessageShape, type MessageShape } from './messages.shapes.ts';

const MESSAGES_PER_MINUTE = 120;
/** Each rewrites the chat as a whole. */
const DELETIONS_PER_MINUTE = 30;

export interface MessageWatch {
  deliver(message: MessageShape): void;
  /** Called once if there is nothing more to hear: the viewer has left or was put out, or the squad has ended. */
  onEnd(): void;
}

const cursors = cursorsOf('squad-messages', z.tuple([z.string(), z.string()]));

/** The chat of a squad: for those who have entered it and not left it. */
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
    if (before) return presentMessage(before);
    if (squad.status === 'ENDED')
      throw new PlatformError('SQUAD_ENDED', 'This squad has ended; its chat can be read only.');
    await this.limit('messages', MESSAGES_PER_MINUTE);
    const id = uuidv7();
    let sent: StoredMessage | undefined;
    await this.hub.journals.of(chats).change(squadId, (chat) => {
      sent = clientId ? sentBefore(chat, userId, clientId) : undefined;
      if (sent) return [];
      sent = {
        id,
        squadId,
        userId,
        text,
        deleted: false,
        clientId: clientId ?? null,
        seq: chat.seq + 1,
        sentAt: new Date().toISOString(),
      };
      return [{ type: 'message', message: sent }];
    });
    const { journals } = this.hub;
    await unlessGone(journals, userId, () => forgetInSquad(journals, squadId, userId));
    return presentMessage(sent as unknown as StoredMessage); // set inside the callback, which the compiler does not follow
  }

  /**
   * By its author, who may have left the squad meanwhile: it stays in its place without its text, which is gone from the
   * storage, too.
   */
  async delete(input: unknown): Promise<void> {
    const { squadId, messageId } = validated(MessageIdShape, input);
    const { userId } = requireUser(this.unit.viewer);
    const { journals } = this.hub;
    const message = messagesOf(await journals.of(chats).read(squadId)).find(({ id }) => id === messageId);
    if (!message) throw notFound('message', messageId);
    if (message.userId !== userId) {
      if (!isInRoom(await journals.of(squads).read(squadId), await this.visitor()))
        throw notFound('message', messageId);
      throw forbidden('A message is deleted by its author.');
    }
    if (message.deleted) return;
    await this.limit('deletions', DELETIONS_PER_MINUTE);
    await journals.of(chats).rewrite(squadId, (chat) => withoutText(chat, messageId));
  }

  /** Newest first. */
  async list(squadId: string, request: PageRequest): Promise<Page<MessageShape>> {
    await this.seen(squadId);
    const after = cursors.read(request.cursor);
    const newestFirst = messagesOf(await this.hub.journals.of(chats).read(squadId)).toReversed();
    return mapPage(
      cursors.page(sliceAfter(newestFirst, after, keysOf, request), request, keysOf),
      presentMessage,
    );
  }

  /**
   * Tells of each message from now on, after those that came after `fromSeq`; and of each that is deleted, those before
   * `fromSeq` included. Returns what ends it.
   */
  async watch(
    squadId: string,
    fromSeq: number | null | undefined,
    { deliver, onEnd }: MessageWatch,
  ): Promise<() => void> {
    await this.seen(squadId);
    const { userId } = requireUser(this.unit.viewer);
    let heard = Infinity;
    let deletedSeqs: readonly number[] = [];
    const stops: (() => void)[] = [];
    const stop = (): void => stops.splice(0).forEach((stopOne) => stopOne());
    const endIfOver = (now: SquadState | NoSquad): void => {
      if (stops.length === 0 || (takesPart(now, userId) && now.status !== 'ENDED')) return;
      stop();
      onEnd();
    };
    const hear = (now: ChatState): void => {
      if (heard === Infinity) return;
      if (now.deletedSeqs !== deletedSeqs) {
        const known = new Set(deletedSeqs);
        deletedSeqs = now.deletedSeqs;
        for (const seq of deletedSeqs) {
          const message = known.has(seq) || seq > heard ? undefined : messageOf(now, seq);
          if (message) deliver(presentMessage(message));
        }
      }
      for (const message of newerThan(now, heard)) {
        heard = message.seq;
        deliver(presentMessage(message));
      }
    };
    const chat = await this.hub.journals.of(chats).follow(squadId, hear);
    stops.push(chat.stop);
    const room = await this.hub.journals.of(squads).follow(squadId, endIfOver);
    stops.push(room.stop);
    heard = Math.min(fromSeq ?? Infinity, chat.state.seq);
    if (typeof fromSeq !== 'number') deletedSeqs = chat.state.deletedSeqs;
    hear(chat.state);
    queueMicrotask(() => endIfOver(room.state));
    return stop;
  }

  private async limit(what: string, perMinute: number): Promise<void> {
    const { userId } = requireUser(this.unit.viewer);
    if (!this.settings.rateLimits || (await this.hub.allows(`${what}:${userId}`, perMinute))) return;
    throw new PlatformError(
      'RATE_LIMITED',
      `More than ${perMinute} ${what} in a minute; go on in a moment.`,
      { retryAfterSeconds: 60 },
    );
  }

  private async seen(squadId: string): Promise<SquadState> {
    const squad = isUuid(squadId)
      ? await this.hub.journals.of(squads).read(squadId)
      : ({ status: 'NONE' } as const);
    return requireRoom(squad, squadId, await this.visitor());
  }

  private async visitor(): Promise<Visitor> {
    const viewer = requireUser(this.unit.viewer);
    return { viewer, hidden: hiddenFrom(await this.hub.journals.of(users).read(viewer.userId)) };
  }
}

/** Messages with a higher number, looked for from the end. */
function newerThan({ shared, length }: ChatState, seq: number): StoredMessage[] {
  let at = length;
  while (at > 0 && (shared[at - 1]?.seq ?? 0) > seq) at -= 1;
  return shared.slice(at, length);
}

const messageOf = (chat: ChatState, seq: number): StoredMessage | undefined =>
  newerThan(chat, seq - 1).find((message) => message.seq === seq);

const keysOf = (message: StoredMessage): [string, string] => [
  String(message.seq).padStart(12, '0'),
  message.id,
];
