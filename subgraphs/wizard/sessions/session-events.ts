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
      const tell = () => stream.push({ sessionId }) || stream.push({ sessionId });
      stream.onStop(
        onSessionChange((changed) => {
          if (changed === sessionId) tell();
        }),
      );
      tell();
    },
    { limit: 1, whenFull: 'start-again' },
  );
