import type { UnitOfWork } from '#server/unit-of-work.ts';
import { figuresOf } from './figures.ts';
import { recordChangedTrainings } from './training-changes.ts';
import { SET_RECORDS, type Training } from './training.entity.ts';

const RECORD_COLUMNS = {
  heaviest: 'heaviest',
  mostReps: 'most_reps',
  e1rm: 'e1rm',
  longest: 'longest',
  farthest: 'farthest',
} as const;

/** The column of `training_exercise` with the value of each record. */
export const columnOfRecord = (record: (typeof SET_RECORDS)[number]): string => RECORD_COLUMNS[record];

type FigureSource = Pick<Training, 'id' | 'userId' | 'startedAt' | 'endedAt' | 'localDate' | 'entries'>;

const STORED = `insert into training_exercise (training_id, exercise_id, user_id, started_at, local_date, is_running, volume_kg, ${SET_RECORDS.map(columnOfRecord).join(', ')}, bests)
  select "trainingId", "exerciseId", "userId", "startedAt", "localDate", "isRunning", "volumeKg", ${SET_RECORDS.map((record) => `(bests #>> '{${record},value}')::float8`).join(', ')}, bests
  from jsonb_to_recordset(?::jsonb) as figures("trainingId" uuid, "exerciseId" uuid, "userId" uuid, "startedAt" timestamptz, "localDate" date, "isRunning" boolean, "volumeKg" float8, bests jsonb)`;

/**
 * Computes the figures of trainings again, inside the transaction that has written the trainings, and announces those that have
 * ended. The transaction holds the locks of their rows, so that no simultaneous change is lost.
 */
export async function storeFigures(unit: UnitOfWork, trainings: readonly FigureSource[]): Promise<void> {
  if (trainings.length === 0) return;
  await unit.run('delete from training_exercise where training_id = any(?::uuid[])', [
    trainings.map(({ id }) => id),
  ]);
  const rows = trainings.flatMap(({ id, userId, startedAt, endedAt, localDate, entries }) =>
    figuresOf(entries, startedAt).map((figures) => ({
      ...figures,
      trainingId: id,
      userId,
      startedAt,
      localDate,
      isRunning: !endedAt,
    })),
  );
  if (rows.length > 0) await unit.run(STORED, [JSON.stringify(rows)]);
  await recordChangedTrainings(
    unit,
    trainings.flatMap(({ userId, endedAt }) => (endedAt ? [userId] : [])),
  );
}
