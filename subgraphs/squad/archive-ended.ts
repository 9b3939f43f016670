import { chats } from './chat/chat.journal.ts';
import { jobsOfSquad } from './squads/squad-jobs.ts';
import { squads } from './squads/squad.journal.ts';
import type { FileJournals } from './storage/journal.file.ts';

/**
 * Moves squads that have ended and were last changed before `unchangedSince`, and their chats, into the archive of their gym.
 * Returns the number of squads.
 */
export async function archiveEnded(
  journals: FileJournals,
  unchangedSince: Date,
  signal?: AbortSignal,
): Promise<number> {
  let count = 0;
  for await (const { id, changedAt } of journals.listFiles(squads.name)) {
    if (signal?.aborted) return count;
    if (changedAt > unchangedSince) continue;
    const squad = await journals.of(squads).read(id);
    if (squad.status !== 'ENDED' || !squad.isRecorded) continue;
    // When the service starts, it looks for due trainings in files, not in the archive.
    if (jobsOfSquad(squads.empty(id), squad).length > 0) continue;
    // The chat is moved first: after an interruption the squad is still listed, and the next run moves both.
    await journals.retire(chats, id, squad.gymId);
    if (await journals.retire(squads, id, squad.gymId)) count += 1;
  }
  return count;
}
