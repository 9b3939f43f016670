import { EVENT_KIND } from '#server/event-kind.ts';
import { eventSource } from '#server/event-source.ts';
import type { WizardStorage } from '../storage.ts';

/** An event at once and then at every change of that session, on whichever replica it happens; a slow reader gets the latest only. */
export const sessionEvents = (
  { onSessionChange }: Pick<WizardStorage, 'onSessionChange'>,
  sessionId: string,
): Promise<AsyncIterableIterator<{ sessionId: string }>> =>
  eventSource(
    async (stream) => {
      // An event only says that it is time to look; one that waits is as good as many.
      const event = { sessionId, [EVENT_KIND]: 'whole' as const };
      const tell = () => stream.push(event) || stream.push(event);
      stream.onStop(
        onSessionChange((changed) => {
          if (changed === sessionId) tell();
        }),
      );
      tell();
    },
    { limit: 1, whenFull: 'start-again' },
  );
