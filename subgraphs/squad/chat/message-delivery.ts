import { newerThan, presentMessage, type ChatState } from './chat.journal.ts';
import type { MessageShape } from './messages.shapes.ts';

/**
 * Delivers the messages of one chat to one listener in order: each new one once, and again, without its text, once it is
 * deleted.
 */
export class MessageDelivery {
  private readonly deliver: (message: MessageShape) => void;
  private lastSeq: number;
  private deletedSeqs: readonly number[];

  /** @param fromSeq the number of the last message that the listener has; absent: only messages after `start` are delivered */
  constructor(
    start: ChatState,
    fromSeq: number | null | undefined,
    deliver: (message: MessageShape) => void,
  ) {
    const isReturning = typeof fromSeq === 'number';
    this.deliver = deliver;
    // A client may send a number that the chat has not reached; later messages would then be skipped.
    this.lastSeq = isReturning ? Math.min(fromSeq, start.seq) : start.seq;
    // A listener who returns may not know yet that older messages were deleted.
    this.deletedSeqs = isReturning ? [] : start.deletedSeqs;
    this.onState(start);
  }

  onState(chat: ChatState): void {
    this.deliverDeletions(chat);
    for (const message of newerThan(chat, this.lastSeq)) {
      this.lastSeq = message.seq;
      this.deliver(presentMessage(message));
    }
  }

  private deliverDeletions(chat: ChatState): void {
    if (chat.deletedSeqs === this.deletedSeqs) return;
    const known = new Set(this.deletedSeqs);
    this.deletedSeqs = chat.deletedSeqs;
    for (const seq of chat.deletedSeqs) {
      if (known.has(seq) || seq > this.lastSeq) continue; // `onState` delivers messages after `lastSeq`
      const [message] = newerThan(chat, seq - 1);
      // A deleted message may have been removed from the chat already.
      if (message?.seq === seq) this.deliver(presentMessage(message));
    }
  }
}
