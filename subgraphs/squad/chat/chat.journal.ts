import type { JournalKind } from '../storage/journal.ts';
import type { MessageShape } from './messages.shapes.ts';

/** A message as it is stored. Messages of the previous version have no `deleted`. */
export type StoredMessage = Omit<MessageShape, 'deleted'> & { readonly deleted?: boolean };

/**
 * A squad's messages, the newest last. A state is the first `length` messages of an array that all states of the chat
 * share, and that only grows, so that the cost of a message does not depend on the length of the chat.
 */
export interface ChatState {
  readonly shared: StoredMessage[];
  readonly length: number;
  /** The number of messages ever sent. */
  readonly seq: number;
  /** The numbers of the deleted messages. */
  readonly deletedSeqs: readonly number[];
}

type ChatItem =
  | { type: 'message'; message: StoredMessage }
  /** Written after messages were removed: the next number follows this one. */
  | { type: 'numbered'; seq: number };

/** When the journal is compacted, only this number of the newest messages is kept. */
const KEPT_MESSAGES = 5_000;

export const chats: JournalKind<ChatState, ChatItem> = {
  name: 'chats',
  keepDays: 90,
  empty: () => ({ shared: [], length: 0, seq: 0, deletedSeqs: [] }),
  apply(chat, item) {
    if (item.type === 'numbered') return { ...chat, seq: Math.max(chat.seq, item.seq) };
    const { shared, length } = chat;
    const { message } = item;
    const messages = shared.length === length ? shared : shared.slice(0, length);
    messages.push(message);
    return {
      shared: messages,
      length: length + 1,
      seq: message.seq,
      deletedSeqs: message.deleted ? [...chat.deletedSeqs, message.seq] : chat.deletedSeqs,
    };
  },
  compacted: (chat) => [
    ...messagesOf(chat)
      .slice(-KEPT_MESSAGES)
      .map((message) => ({ type: 'message', message }) as const),
    ...(chat.seq > (chat.shared[chat.length - 1]?.seq ?? 0)
      ? [{ type: 'numbered', seq: chat.seq } as const]
      : []),
  ],
};

export const messagesOf = ({ shared, length }: ChatState): readonly StoredMessage[] =>
  shared.slice(0, length);

/** Messages with a higher number; the search begins at the end. */
export function newerThan({ shared, length }: ChatState, seq: number): StoredMessage[] {
  let at = length;
  while (at > 0 && (shared[at - 1]?.seq ?? 0) > seq) at -= 1;
  return shared.slice(at, length);
}

/** The chat after a deletion: the message stays in its place without its text. */
export const withoutText = (chat: ChatState, messageId: string): ChatState => {
  const shared = messagesOf(chat).map((message) =>
    message.id === messageId ? { ...message, text: '', deleted: true } : message,
  );
  return {
    shared,
    length: shared.length,
    seq: chat.seq,
    deletedSeqs: shared.filter(({ deleted }) => deleted).map(({ seq }) => seq),
  };
};

export const presentMessage = (message: StoredMessage): MessageShape => ({
  ...message,
  deleted: message.deleted ?? false,
});

/** The user's message with this `clientId`, if it is one of the last 1,000 messages of the chat. */
export function sentBefore(
  { shared, length }: ChatState,
  userId: string,
  clientId: string,
): StoredMessage | undefined {
  for (let at = length - 1; at >= Math.max(0, length - 1_000); at -= 1) {
    const message = shared[at];
    if (message?.clientId === clientId && message.userId === userId) return message;
  }
  return undefined;
}
