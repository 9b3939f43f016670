import type { Readable } from 'node:stream';
import { stringify } from 'csv-stringify';
import { requireUser } from '#server/auth/viewer.ts';
import { WITHOUT_FORMULAS } from '#server/csv/formulas.ts';
import { invalid } from '#server/errors.ts';
import { streamOf } from '#server/streams.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { wholeText } from '#server/whole-text.ts';
import type { Exercises } from '../exercises/exercises.ts';
import { trainingKeyOf, trainingPage, type TrainingKey } from './training-pages.ts';
import type { TrainingFilter, TrainingShape } from './trainings.shapes.ts';

/** The columns of an export, in their order. */
export const CSV_COLUMNS = [
  'trainingId',
  'startedAt',
  'endedAt',
  'minutes',
  'title',
  'note',
  'exerciseId',
  'exercise',
  'setId',
  'type',
  'reps',
  'weightKg',
  'assistedKg',
  'durationSeconds',
  'distanceMeters',
  'rpe',
  'restSeconds',
  'completedAt',
] as const;

const EXPORT_PAGE = 200;

/** Exports of the caller's trainings as CSV. */
export class TrainingExports {
  private readonly unit: UnitOfWork;
  private readonly exercises: Exercises;

  constructor(unit: UnitOfWork, exercises: Exercises) {
    this.unit = unit;
    this.exercises = exercises;
  }

  /**
   * The trainings as a stream in bounded memory, the oldest first. Each set has a line; an exercise without sets has one line, and
   * so has a training without exercises.
   */
  async csv(range: TrainingFilter): Promise<Readable> {
    const { userId } = requireUser(this.unit.viewer);
    if (range.from && range.to && range.to < range.from)
      throw invalid('to', `expected a day not before ${range.from}, got ${range.to}`);
    const csv = stringify({ header: true, columns: [...CSV_COLUMNS], ...WITHOUT_FORMULAS });
    return streamOf(this.rows(userId, range), [csv]);
  }

  /** The same as one text, for the graph. @throws PAYLOAD_TOO_LARGE above 8 MiB */
  async csvText(range: TrainingFilter): Promise<string> {
    const path = this.unit.publicPath('/trainings/export.csv');
    return wholeText(
      await this.csv(range),
      this.unit,
      `These trainings are more than 8 MiB of CSV; name a shorter range of days with from and to, or download them with GET ${path}.`,
    );
  }

  private async *rows(owner: string, range: TrainingFilter): AsyncGenerator<object> {
    let after: TrainingKey | undefined;
    for (;;) {
      const page = await trainingPage(this.unit, owner, { ...range, after, limit: EXPORT_PAGE });
      const names = await this.namesOf(page);
      for (const training of page) yield* linesOf(training, names);
      const last = page.at(-1);
      if (!last || page.length < EXPORT_PAGE) return;
      after = trainingKeyOf(last);
    }
  }

  private async namesOf(trainings: readonly TrainingShape[]): Promise<ReadonlyMap<string, string>> {
    const ids = trainings.flatMap(({ entries }) => entries.map(({ exerciseId }) => exerciseId));
    return new Map((await this.exercises.findMany(ids)).map(({ id, name }) => [id, name]));
  }
}

function linesOf(training: TrainingShape, names: ReadonlyMap<string, string>): object[] {
  const { id: trainingId, entries, ...fields } = training;
  const lines = entries.flatMap(({ exerciseId, sets }) => {
    const entry = { trainingId, ...fields, exerciseId, exercise: names.get(exerciseId) ?? '' };
    return sets.length === 0 ? [entry] : sets.map(({ id: setId, ...set }) => ({ ...entry, setId, ...set }));
  });
  return lines.length === 0 ? [{ trainingId, ...fields }] : lines;
}
