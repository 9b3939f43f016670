import DataLoader from 'dataloader';
import { z } from 'zod';
import { requireUser } from '#server/auth/viewer.ts';
import { invalid } from '#server/errors.ts';
import { loaderOf } from '#server/loaders.ts';
import { cursorsOf, pageSize, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { requireTrainingOwner } from '../access.ts';
import type { SummaryBucket, TrainingSummaryShape } from './progress.shapes.ts';
import { LISTED_COLUMNS, TRAINING_COLUMNS, trainingKeyOf } from './training-pages.ts';
import type { ListedTraining, TrainingEntry, TrainingFilter, TrainingShape } from './trainings.shapes.ts';

const cursors = cursorsOf('trainings', z.tuple([z.iso.date(), z.iso.datetime(), z.uuid()]));

/** A Monday before all others. */
export const FIRST_MONDAY = '0001-01-01';

/** The sums of a range by bucket, and the numbers of all weeks with a training up to a day, counted from `FIRST_MONDAY`. */
export interface SumsRow {
  buckets: Omit<TrainingSummaryShape['buckets'][number], 'end'>[];
  weeks: number[];
}

const sumsBy = (truncated: string): string =>
  `coalesce((select json_agg(bucket) from (
       select to_char(date_trunc('${truncated}', local_date::timestamp), 'YYYY-MM-DD') as start, count(*)::int as count,
         coalesce(sum(minutes), 0)::int as minutes, coalesce(sum(volume_kg), 0) as "volumeKg"
       from training where user_id = ? and local_date between ?::date and ?::date group by 1
     ) as bucket), '[]') as buckets,
     array(select distinct (local_date - date '${FIRST_MONDAY}') / 7 from training where user_id = ? and local_date <= ?::date) as weeks`;
const SUMS: Readonly<Record<SummaryBucket, string>> = {
  DAY: sumsBy('day'),
  WEEK: sumsBy('week'),
  MONTH: sumsBy('month'),
};

const pageBy = (columns: string, isAfter: boolean): string =>
  `select ${columns} from training where user_id = ? and local_date between ?::date and ?::date
   ${isAfter ? 'and (local_date, started_at, id) < (?::date, ?::timestamptz, ?::uuid)' : ''}
   order by local_date desc, started_at desc, training.id desc limit ?`;
const LISTED = { first: pageBy(LISTED_COLUMNS, false), next: pageBy(LISTED_COLUMNS, true) } as const;
const WHOLE = { first: pageBy(TRAINING_COLUMNS, false), next: pageBy(TRAINING_COLUMNS, true) } as const;

type Wanted =
  | { readonly of: 'page'; readonly values: readonly unknown[] }
  | { readonly of: 'sums'; readonly bucket: SummaryBucket; readonly values: readonly unknown[] };

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
  private readonly reads = new DataLoader<Wanted, readonly unknown[]>((wanted) => this.readAll(wanted), {
    cache: false,
  });

  constructor(unit: UnitOfWork) {
    this.unit = unit;
  }

  /** The trainings of a user, the latest first. @throws NOT_FOUND for another user */
  list(userId: string, filter: TrainingFilter, request: PageRequest): Promise<Page<TrainingShape>> {
    return this.page(userId, filter, request, (values, isFirst) =>
      this.unit.read(isFirst ? WHOLE.first : WHOLE.next, values),
    );
  }

  /** As `list`. Entries are most of a training's data, and most pages do not show them. */
  listWithoutEntries(
    userId: string,
    filter: TrainingFilter,
    request: PageRequest,
  ): Promise<Page<ListedTraining>> {
    return this.page(userId, filter, request, (values, isFirst) =>
      isFirst
        ? // The rows of this key are those of `LISTED`.
          (this.reads.load({ of: 'page', values }) as Promise<ListedTraining[]>)
        : this.unit.read(LISTED.next, values),
    );
  }

  /** The entries of a training of a list; none if the training was deleted since. */
  async entriesOf(id: string): Promise<TrainingEntry[]> {
    return (await this.entriesById.load(id))?.entries ?? [];
  }

  /** The sums from one day to another, and the weeks up to `lastDay`. */
  async sums(
    owner: string,
    bucket: SummaryBucket,
    { from, to, lastDay }: { from: string; to: string; lastDay: string },
  ): Promise<SumsRow> {
    const values = [owner, from, to, owner, lastDay];
    // The rows of this key are those of `SUMS`, a single one.
    const [row] = (await this.reads.load({ of: 'sums', bucket, values })) as SumsRow[];
    return row ?? { buckets: [], weeks: [] };
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

  /**
   * The home page shows the sums of a week and the latest trainings: one statement reads both, because a statement costs more
   * than its few rows (`npm run bench:platform -- training`).
   */
  private async readAll(wanted: readonly Wanted[]): Promise<(readonly unknown[])[]> {
    const [one, other] = wanted;
    if (one && other && wanted.length === 2 && one.of !== other.of) {
      const [sums, page] = one.of === 'sums' ? [one, other] : [other, one];
      if (sums.of === 'sums') {
        const [row] = await this.unit.read<SumsRow & { page: ListedTraining[] }>(
          `select ${SUMS[sums.bucket]}, coalesce((select json_agg(page) from (${LISTED.first}) as page), '[]') as page`,
          [...sums.values, ...page.values],
        );
        return wanted.map(({ of }) => (of === 'sums' ? [row] : (row?.page ?? [])));
      }
    }
    return Promise.all(
      wanted.map((part) =>
        part.of === 'sums'
          ? this.unit.read(`select ${SUMS[part.bucket]}`, part.values)
          : this.unit.read(LISTED.first, part.values),
      ),
    );
  }
}
