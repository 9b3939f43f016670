import type { JournalKind } from '../storage/journal.ts';
import type { MessageShape } from './messages.shapes.ts';

/**
 * A squad's messages, the newest last. The array is shared by all states of one chat and only grows, so that a
 * message costs the same however long the chat is: a state is its first `length` messages.
 */
export interface ChatState {
  readonly shared: MessageShape[];
  readonly length: number;
  /** Messages ever sent. */
  readonly seq: number;
}

export type ChatItem =
  | { type: 'message'; message: MessageShape }
  /** Messages were removed: numbers go on after this one all the same. */
  | { type: 'numbered'; seq: number };

/** Older ones are forgotten when the file is written anew. */
const KEPT_MESSAGES = 5_000;

export const chats: JournalKind<ChatState, ChatItem> = {
  name: 'chats',
  keepDays: 90,
  empty: () => ({ shared: [], length: 0, seq: 0 }),
  apply(chat, item) {
    if (item.type === 'numbered') return { ...chat, seq: Math.max(chat.seq, item.seq) };
    const { shared, length } = chat;
    const { message } = item;
    const messages = shared.length === length ? shared : shared.slice(0, length);
    messages.push(message);
    return { shared: messages, length: length + 1, seq: message.seq };
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

export const messagesOf = ({ shared, length }: ChatState): readonly MessageShape[] => shared.slice(0, length);

/** A message that the sender has sent before, among the last ones. */
export function sentBefore(
  { shared, length }: ChatState,
  userId: string,
  clientId: string,
): MessageShape | undefined {
  for (let at = length - 1; at >= Math.max(0, length - 1_000); at -= 1) {
    const message = shared[at];
    if (message?.clientId === clientId && message.userId === userId) return message;
  }
  return undefined;
}
