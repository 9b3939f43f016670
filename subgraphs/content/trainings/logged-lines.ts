import { createHash } from 'node:crypto';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { ImportedLine } from './imported-lines.ts';

/** Trainings that are read at once: a training has up to 500 sets. */
const BATCH = 100;

/** The `importKey` of a training that an import adds. */
export const importKeyOf = (training: string): string =>
  createHash('sha256').update(training).digest('base64url');

/** Which lines of a file are in the user's trainings already. */
export interface LoggedLines {
  /** The ids of all exercises in the trainings that the lines name, also of those that no line names. */
  exercises: ReadonlySet<string>;
  /** The numbers of the lines whose set is in its training. */
  sets: ReadonlySet<number>;
}

/** Reads the trainings that the lines name, without locks, so sets that another import is adding may be missing. */
export async function loggedLines(
  unit: UnitOfWork,
  userId: string,
  lines: readonly ImportedLine[],
): Promise<LoggedLines> {
  const exercises = new Set<string>();
  const sets = new Set<number>();
  const groups = [...Map.groupBy(lines, ({ training }) => training)];
  for (let start = 0; start < groups.length; start += BATCH) {
    const batch = groups.slice(start, start + BATCH);
    const stored = await unit.read<{
      id: string;
      importKey: string | null;
      exercises: string[];
      sets: string[];
    }>(
      `select id, import_key as "importKey", jsonb_path_query_array(entries, '$[*].exerciseId') as exercises,
         jsonb_path_query_array(entries, '$[*].sets[*].id') as sets
       from training where user_id = ? and (id = any(?::uuid[]) or import_key = any(?::text[]))`,
      [
        userId,
        batch.flatMap(([, [first]]) => first?.trainingId ?? []),
        batch.map(([training]) => importKeyOf(training)),
      ],
    );
    const byKey = new Map(stored.map((training) => [training.importKey, training]));
    const byId = new Map(stored.map((training) => [training.id, training]));
    for (const [key, ofTraining] of batch) {
      const training = byId.get(key) ?? byKey.get(importKeyOf(key));
      const ids = new Set(training?.sets);
      for (const id of training?.exercises ?? []) exercises.add(id);
      for (const { line, set } of ofTraining) if (set && ids.has(set.id)) sets.add(line);
    }
  }
  return { exercises, sets };
}
