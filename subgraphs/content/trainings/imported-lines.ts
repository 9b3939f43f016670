import type { z } from 'zod';
import { PlatformError } from '#server/errors.ts';
import type { Modality } from '../exercises/exercises.shapes.ts';
import type { ImportUnits } from './import-columns.ts';
import type { SetInput } from './trainings.shapes.ts';

export const MAX_BYTES = 10 * 1024 * 1024; // 10 MiB

export interface LineError {
  line: number;
  column: string | null;
  message: string;
}

/**
 * What one line of a CSV file, or one lap or set of an activity file, contains: a set, the rest after a set, an exercise
 * without sets, or a training without sets.
 */
export interface ImportedLine {
  line: number;
  /** Equal for all lines of one training. */
  training: string;
  trainingId: string | null;
  startedAt: Date;
  endedAt: Date | null;
  minutes: number | null;
  title: string | null;
  note: string | null;
  exerciseId: string | null;
  exercise: string | null;
  set: (SetInput & { id: string }) | null;
  /** If this line is a rest: the line of the set before it. That set has the seconds as `restSeconds`. */
  restAfter?: number;
  /** What a new custom exercise measures. Default: what its sets have. */
  modality?: Modality;
}
/** A line of the file, or what is wrong with it. */
export type LineOrErrors = ImportedLine | { line: number; errors: LineError[] };

export const wrong = (line: number, column: string | null, message: string): LineOrErrors => ({
  line,
  errors: [{ line, column, message }],
});

/** A line whose values have been refused by their shape. */
export const misshapen = (line: number, { issues }: z.ZodError): LineOrErrors => ({
  line,
  errors: issues.map(({ path, message }) => ({ line, column: String(path[0] ?? ''), message })),
});

export interface ImportOptions {
  /** Decides the instant of a time without an offset. */
  zone: string;
  units: ImportUnits;
}

export const tooManyLines = (most: number) =>
  new PlatformError('PAYLOAD_TOO_LARGE', `A file may have at most ${most} lines; send it in parts.`);
