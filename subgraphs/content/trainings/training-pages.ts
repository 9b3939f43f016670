import { columnsOf } from '#server/database/columns.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { TrainingShape, type ListedTraining } from './trainings.shapes.ts';

/** The select list of trainings. */
export const TRAINING_COLUMNS = columnsOf(TrainingShape);
export const LISTED_COLUMNS = columnsOf(TrainingShape.omit({ entries: true }));

/** The position of a training among those of its user: its local day, its beginning, its id. */
export type TrainingKey = [localDate: string, startedAt: string, id: string];

export const trainingKeyOf = ({ localDate, startedAt, id }: ListedTraining): TrainingKey => [
  localDate,
  startedAt,
  id,
];

/**
 * At most `limit` trainings of a user after a key, the oldest first. They are read along the index `training_diary`, so the
 * hundredth page costs as much as the first one.
 */
export const trainingPage = (
  unit: UnitOfWork,
  userId: string,
  {
    from,
    to,
    after,
    limit,
  }: {
    from?: string | null | undefined;
    to?: string | null | undefined;
    after?: readonly unknown[] | undefined;
    limit: number;
  },
): Promise<TrainingShape[]> =>
  unit.read(
    `select ${TRAINING_COLUMNS} from training
     where user_id = ? and local_date >= ?::date and local_date <= ?::date ${after ? 'and (local_date, started_at, id) > (?::date, ?::timestamptz, ?::uuid)' : ''}
     order by training.local_date, training.started_at, training.id limit ?`,
    [userId, from ?? '-infinity', to ?? 'infinity', ...(after ?? []), limit],
  );
