import { EVENT_KIND } from '#server/event-kind.ts';
import { eventSource } from '#server/event-source.ts';
import type { WizardStorage } from '../storage.ts';

/**
 * An event at once, at every change of the session by any replica, and when changes may have been missed; a slow reader
 * gets only the latest event.
 */
export const sessionEvents = (
  { onSessionChange }: Pick<WizardStorage, 'onSessionChange'>,
  sessionId: string,
): Promise<AsyncIterableIterator<{ sessionId: string }>> =>
  eventSource(
    async (stream) => {
      // An event only means that the session must be read again, so one waiting event is enough. If one waits already, the
      // first `push` drops both events and returns false, and the second `push` adds the event again.
      const event = { sessionId, [EVENT_KIND]: 'whole' as const };
      const notify = () => stream.push(event) || stream.push(event);
      stream.onStop(
        onSessionChange((changed) => {
          if (changed === sessionId || changed === undefined) notify();
        }),
      );
      notify();
    },
    { limit: 1, whenFull: 'start-again' },
  );
