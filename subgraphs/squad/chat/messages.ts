import { z } from 'zod';
import { requireUser } from '#server/auth/viewer.ts';
import { forbidden, notFound, PlatformError } from '#server/errors.ts';
import { isUuid, uuidv7 } from '#server/ids.ts';
import { cursorsOf, mapPage, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import type { Hub } from '../hub.ts';
import { sliceAfter } from '../lists.ts';
import { maySeeSquad, requireVisibleSquad, takesPart } from '../squads/squad-rights.ts';
import { squads, type NoSquad, type SquadState } from '../squads/squad.journal.ts';
import { forgetInSquad } from '../accounts/forgotten.ts';
import { forgetIfErased } from '../accounts/forget-if-erased.ts';
import {
  chats,
  messagesOf,
  presentMessage,
  sentBefore,
  withoutText,
  type ChatState,
  type StoredMessage,
} from './chat.journal.ts';
import { MessageDelivery } from './message-delivery.ts';
import { MessageIdShape, SendMessageShape, type MessageShape } from './messages.shapes.ts';

const MESSAGES_PER_MINUTE = 120;
/** Each deletion writes the whole chat. */
const DELETIONS_PER_MINUTE = 30;

interface MessageWatch {
  deliver(message: MessageShape): void;
  /** Called once, when no more messages will come: the viewer has left or was removed, or the squad has ended. */
  onEnd(): void;
}

const cursors = cursorsOf('squad-messages', z.tuple([z.string(), z.string()]));

/** The chat of a squad, for its participants. */
export class Messages {
  private readonly unit: UnitOfWork;
  private readonly hub: Hub;
  private readonly settings: { rateLimits: boolean };

  constructor(unit: UnitOfWork, hub: Hub, settings: { rateLimits: boolean }) {
    this.unit = unit;
    this.hub = hub;
    this.settings = settings;
  }

  /** Stores a message. If the sender has used the `clientId` before in this squad, returns the message that was stored then. */
  async send(input: unknown): Promise<MessageShape> {
    const { squadId, text, clientId } = validated(SendMessageShape, input);
    const { userId } = requireUser(this.unit.viewer);
    const squad = await this.requireVisibleSquad(squadId);
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
    await forgetIfErased(journals, userId, () => forgetInSquad(journals, squadId, userId));
    return presentMessage(sent as unknown as StoredMessage); // set inside the callback, which the compiler does not follow
  }

  /**
   * Deletes a message. Only its author may do this, also after they have left the squad. The message stays without its text,
   * which is also removed from the journal.
   */
  async delete(input: unknown): Promise<void> {
    const { squadId, messageId } = validated(MessageIdShape, input);
    const { userId } = requireUser(this.unit.viewer);
    const { journals } = this.hub;
    const message = messagesOf(await journals.of(chats).read(squadId)).find(({ id }) => id === messageId);
    if (!message) throw notFound('message', messageId);
    if (message.userId !== userId) {
      if (!maySeeSquad(await journals.of(squads).read(squadId), requireUser(this.unit.viewer)))
        throw notFound('message', messageId);
      throw forbidden('Only the author of a message may delete it.');
    }
    if (message.deleted) return;
    await this.limit('deletions', DELETIONS_PER_MINUTE);
    await journals.of(chats).rewrite(squadId, (chat) => withoutText(chat, messageId));
  }

  /** The messages of a squad, newest first. */
  async list(squadId: string, request: PageRequest): Promise<Page<MessageShape>> {
    await this.requireVisibleSquad(squadId);
    const after = cursors.read(request.cursor);
    const newestFirst = messagesOf(await this.hub.journals.of(chats).read(squadId)).toReversed();
    return mapPage(
      cursors.page(sliceAfter(newestFirst, after, keysOf, request), request, keysOf),
      presentMessage,
    );
  }

  /**
   * Delivers the messages after `fromSeq`, then each new one. A deleted message is delivered again without its text, even if its
   * number is not after `fromSeq`. Returns the function that ends the delivery.
   */
  async watch(
    squadId: string,
    fromSeq: number | null | undefined,
    { deliver, onEnd }: MessageWatch,
  ): Promise<() => void> {
    await this.requireVisibleSquad(squadId);
    const { userId } = requireUser(this.unit.viewer);
    const { journals } = this.hub;
    let squad: SquadState | NoSquad | undefined;
    let newest: ChatState | undefined;
    let delivery: MessageDelivery | undefined;
    const stops: (() => void)[] = [];
    const stop = (): void => stops.splice(0).forEach((stopOne) => stopOne());
    const endIfOver = (): void => {
      if (!delivery || stops.length === 0 || !squad) return;
      if (takesPart(squad, userId) && squad.status !== 'ENDED') return;
      stop();
      onEnd();
    };
    const followedSquad = await journals.of(squads).follow(squadId, (current) => {
      squad = current;
      endIfOver();
    });
    stops.push(followedSquad.stop);
    squad ??= followedSquad.state;
    try {
      const chat = await journals.of(chats).follow(squadId, (current) => {
        newest = current;
        delivery?.onState(current);
      });
      stops.push(chat.stop);
      delivery = new MessageDelivery(chat.state, fromSeq, deliver);
      if (newest) delivery.onState(newest); // messages that came before the delivery was created
    } catch (error) {
      stop();
      throw error;
    }
    queueMicrotask(endIfOver);
    return stop;
  }

  private async limit(what: string, perMinute: number): Promise<void> {
    const { userId } = requireUser(this.unit.viewer);
    if (!this.settings.rateLimits || (await this.hub.allows(`${what}:${userId}`, perMinute))) return;
    throw new PlatformError(
      'RATE_LIMITED',
      `More than ${perMinute} ${what} in a minute; try again in a moment.`,
      { retryAfterSeconds: 60 },
    );
  }

  private async requireVisibleSquad(squadId: string): Promise<SquadState> {
    const squad = isUuid(squadId)
      ? await this.hub.journals.of(squads).read(squadId)
      : ({ status: 'NONE' } as const);
    return requireVisibleSquad(squad, squadId, requireUser(this.unit.viewer));
  }
}

const keysOf = (message: StoredMessage): [string, string] => [
  String(message.seq).padStart(12, '0'),
  message.id,
];
