import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { columnsOf } from '#server/database/columns.ts';
import { cursorsOf, pageSize, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { ChallengeRow, type ChallengeStatus } from './challenges.shapes.ts';

export const CHALLENGE = columnsOf(ChallengeRow);

type Times = Pick<ChallengeRow, 'startsAt' | 'endsAt'>;
export const hasBegun = ({ startsAt }: Times): boolean => Date.parse(startsAt) <= Date.now();
export const hasEnded = ({ endsAt }: Times): boolean => Date.parse(endsAt) <= Date.now();

/** A list of challenges: which ones, and the time by which they are sorted. */
interface List {
  condition: string;
  column: 'starts_at' | 'ends_at';
  field: 'startsAt' | 'endsAt';
  descending: boolean;
}

const LISTS: Readonly<Record<ChallengeStatus, List>> = {
  ACTIVE: {
    condition: 'starts_at <= now() and ends_at > now()',
    column: 'ends_at',
    field: 'endsAt',
    descending: false,
  },
  UPCOMING: { condition: 'starts_at > now()', column: 'starts_at', field: 'startsAt', descending: false },
  ENDED: { condition: 'ends_at <= now()', column: 'ends_at', field: 'endsAt', descending: true },
};

const keys = z.tuple([z.iso.datetime(), uuid()]);
const CURSORS = {
  ACTIVE: cursorsOf('challenges:ACTIVE', keys),
  UPCOMING: cursorsOf('challenges:UPCOMING', keys),
  ENDED: cursorsOf('challenges:ENDED', keys),
} as const;

/** A page of the challenges of a gym with a status. */
export async function challengePage(
  unit: UnitOfWork,
  gymId: string,
  status: ChallengeStatus,
  request: PageRequest,
): Promise<Page<ChallengeRow>> {
  const { condition, column, field, descending } = LISTS[status];
  const cursors = CURSORS[status];
  const after = cursors.read(request.cursor);
  const direction = descending ? ' desc' : '';
  const rows = await unit.read<ChallengeRow>(
    `select ${CHALLENGE} from challenge
     where gym_id = ? and ${condition}${after ? ` and (${column}, id) ${descending ? '<' : '>'} (?, ?)` : ''}
     order by ${column}${direction}, id${direction} limit ?`,
    [gymId, ...(after ?? []), pageSize(request) + 1],
  );
  return cursors.page(rows, request, (challenge) => [challenge[field], challenge.id]);
}

/** The first challenges of each gym that run now, sorted by their end. */
export const activeChallenges = (
  unit: UnitOfWork,
  gymIds: readonly string[],
  count: number,
): Promise<ChallengeRow[]> =>
  unit.read<ChallengeRow>(
    `select active.* from unnest(?::uuid[]) as gym (id) cross join lateral (
       select ${CHALLENGE} from challenge
       where gym_id = gym.id and ${LISTS.ACTIVE.condition} order by ends_at, id limit ?
     ) as active order by active."endsAt", active.id`,
    [gymIds, count],
  );

/** The page with `items` in place of its challenges. @param items the same challenges in the same order, with further fields */
export function withItems<Item extends ChallengeRow>(
  page: Page<ChallengeRow>,
  items: readonly Item[],
): Page<Item> {
  return { ...page, items };
}
