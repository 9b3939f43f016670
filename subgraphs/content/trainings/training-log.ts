import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { requireUser } from '#server/auth/viewer.ts';
import { invalid } from '#server/errors.ts';
import { loaderOf } from '#server/loaders.ts';
import { cursorsOf, pageSize, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { requireTrainingOwner } from '../access.ts';
import type { HomeReads } from '../home-reads.ts';
import type { SummaryBucket, TrainingSummaryShape } from './progress.shapes.ts';
import { LISTED_COLUMNS, TRAINING_COLUMNS, trainingKeyOf } from './training-pages.ts';
import type { ListedTraining, TrainingEntry, TrainingFilter, TrainingShape } from './trainings.shapes.ts';

const cursors = cursorsOf('trainings', z.tuple([z.iso.date(), z.iso.datetime(), uuid()]));

/** The first Monday of the calendar; weeks are counted from it. */
export const FIRST_MONDAY = '0001-01-01';

/** The sums of a range of days, and the weeks that have a training. */
export interface SumsRow {
  buckets: Omit<TrainingSummaryShape['buckets'][number], 'end'>[];
  /** Each week that has a training on a day up to the `lastDay` of `sums`: the number of weeks since `FIRST_MONDAY`. */
  weeks: number[];
}

const sumsBy = (truncated: string): string =>
  `json_build_object('buckets', coalesce((select json_agg(bucket) from (
       select to_char(date_trunc('${truncated}', local_date::timestamp), 'YYYY-MM-DD') as start, count(*)::int as count,
         coalesce(sum(minutes), 0)::int as minutes, coalesce(sum(volume_kg), 0) as "volumeKg"
       from training where user_id = ? and local_date between ?::date and ?::date group by 1
     ) as bucket), '[]'),
     'weeks', array(select distinct (local_date - date '${FIRST_MONDAY}') / 7 from training where user_id = ? and local_date <= ?::date))`;
const SUMS: Readonly<Record<SummaryBucket, string>> = {
  DAY: sumsBy('day'),
  WEEK: sumsBy('week'),
  MONTH: sumsBy('month'),
};

const pageBy = (columns: string, isAfter: boolean): string =>
  `select ${columns} from training where user_id = ? and local_date between ?::date and ?::date
   ${isAfter ? 'and (local_date, started_at, id) < (?::date, ?::timestamptz, ?::uuid)' : ''}
   order by local_date desc, started_at desc, training.id desc limit ?`;
const LISTED = {
  first: `coalesce((select json_agg(page) from (${pageBy(LISTED_COLUMNS, false)}) as page), '[]')`,
  next: pageBy(LISTED_COLUMNS, true),
} as const;
const WHOLE = { first: pageBy(TRAINING_COLUMNS, false), next: pageBy(TRAINING_COLUMNS, true) } as const;

/** The trainings of a user by day: pages of them, and their sums. Users read only their own. */
export class TrainingLog {
  private readonly unit: UnitOfWork;
  private readonly entriesById = loaderOf<{ id: string; entries: TrainingEntry[] }>(
    (ids) =>
      this.unit.read('select id, entries from training where id = any(?::uuid[]) and user_id = ?', [
        ids,
        requireUser(this.unit.viewer).userId,
      ]),
    ({ id }) => id,
  );
  private readonly homeReads: HomeReads;

  constructor(unit: UnitOfWork, homeReads: HomeReads) {
    this.unit = unit;
    this.homeReads = homeReads;
  }

  /** The trainings of a user, the latest first. @throws NOT_FOUND for another user */
  list(userId: string, filter: TrainingFilter, request: PageRequest): Promise<Page<TrainingShape>> {
    return this.page(userId, filter, request, (values, isFirst) =>
      this.unit.read(isFirst ? WHOLE.first : WHOLE.next, values),
    );
  }

  /** As `list`, without entries, which are most of a training's data and which most pages do not show. */
  listWithoutEntries(
    userId: string,
    filter: TrainingFilter,
    request: PageRequest,
  ): Promise<Page<ListedTraining>> {
    return this.page(userId, filter, request, (values, isFirst) =>
      isFirst
        ? this.homeReads.read<ListedTraining[]>({ kind: 'page', sql: LISTED.first, values })
        : this.unit.read(LISTED.next, values),
    );
  }

  /** The entries of a training of a list; none if the training was deleted since. */
  async entriesOf(id: string): Promise<TrainingEntry[]> {
    return (await this.entriesById.load(id))?.entries ?? [];
  }

  /** The sums from one day to another, and the weeks that have a training, until `lastDay`. */
  sums(
    owner: string,
    bucket: SummaryBucket,
    { from, to, lastDay }: { from: string; to: string; lastDay: string },
  ): Promise<SumsRow> {
    const values = [owner, from, to, owner, lastDay];
    return this.homeReads.read<SumsRow>({ kind: 'sums', sql: SUMS[bucket], values });
  }

  private async page<Row extends ListedTraining>(
    userId: string,
    { from, to }: TrainingFilter,
    request: PageRequest,
    read: (values: readonly unknown[], isFirst: boolean) => Promise<Row[]>,
  ): Promise<Page<Row>> {
    const owner = requireTrainingOwner(this.unit.viewer, userId);
    if (from && to && to < from) throw invalid('to', `expected a day not before ${from}, got ${to}`);
    const after = cursors.read(request.cursor);
    const values = [owner, from ?? '-infinity', to ?? 'infinity', ...(after ?? []), pageSize(request) + 1];
    return cursors.page(await read(values, !after), request, trainingKeyOf);
  }
}
