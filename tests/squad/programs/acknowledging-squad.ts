/**
 * Writes into the file journals by several writers at once until it is killed, and prints each acknowledged write.
 * Arguments: the folder, the id of the squad, the id of its host.
 */
import fs from 'node:fs';
import { uuidv7 } from '#server/ids.ts';
import type { Logger } from '#server/observability/logger.ts';
import { chats } from '../../../subgraphs/squad/chat/chat.journal.ts';
import { squads } from '../../../subgraphs/squad/squads/squad.journal.ts';
import { FileJournals } from '../../../subgraphs/squad/storage/journal.file.ts';

const [folder = '', squadId = '', userId = ''] = process.argv.slice(2);
// The logger of the platform takes longer to load than this process runs.
const log = { warn: () => undefined, error: () => undefined } as unknown as Logger;
const journals = new FileJournals({ folder, log });
const now = () => new Date().toISOString();
const acknowledge = (line: string) => fs.writeSync(1, `${line}\n`);

if (folder === '') process.exit(0); // the test runs the program once without arguments, to fill the compile cache
await journals.of(squads).change(squadId, (squad) =>
  squad.status === 'NONE'
    ? [
        {
          type: 'created',
          id: squadId,
          gymId: userId,
          hostId: userId,
          routineId: null,
          routineVersion: null,
          at: now(),
        },
      ]
    : [],
);

async function chat(): Promise<never> {
  for (;;) {
    const id = uuidv7();
    const text = 'x'.repeat(Math.floor(Math.random() * 400));
    await journals.of(chats).change(squadId, ({ seq }) => [
      {
        type: 'message',
        message: { id, squadId, userId, text, clientId: null, seq: seq + 1, sentAt: now() },
      },
    ]);
    acknowledge(`message ${id}`);
  }
}

async function train(): Promise<never> {
  for (;;) {
    const eventId = uuidv7();
    const squad = await journals.of(squads).change(squadId, () => [
      {
        type: 'workout',
        userId,
        eventId,
        exerciseIndex: 0,
        setIndex: 0,
        phase: 'WORK',
        set: { reps: 1 },
        restEndsAt: null,
        at: now(),
      },
    ]);
    acknowledge(`revision ${squad.status === 'NONE' ? 0 : squad.revision} ${eventId}`);
  }
}

await Promise.all([chat(), chat(), chat(), train(), train()]);
