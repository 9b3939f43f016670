import type { MikroORM } from '@mikro-orm/postgresql';
import { LRUCache } from 'lru-cache';
import { searchFilter } from '#server/shapes.ts';
import { validated } from '#server/validate.ts';
import type { Order } from './listing.ts';

/** A text search as SQL over the column `search`. */
export interface TextSearch {
  /** SQL of a tsquery. */
  query: string;
  params: string[];
  /** Best match first. */
  order: Order;
}

const VOCABULARY_MILLIS = 30_000; // 30 s
const MAX_WORDS = 8;

/** Whose very name or alias it is comes first, hyphens or not. Each holds the text twice at most: as text and as JSON list. */
const EXACT = {
  exercise: `replace(lower(name), '-', ' ') = ? or replace(lower(aliases::text), '-', ' ')::jsonb @> ?::jsonb`,
  workout_routine: `replace(lower(title), '-', ' ') = ? or lower(category) = ?::jsonb->>0`,
  product: `replace(lower(name), '-', ' ') = ? or lower(sku) = ?::jsonb->>0`,
} as const;

/**
 * Full-text search by PostgreSQL alone, without extensions: every word must be there, as the beginning of a word or
 * by its stem. A word that begins none of the table's words is taken for a slip of those within one or two edits.
 */
export class TextSearches {
  private readonly orm: MikroORM;
  private readonly vocabularies = new LRUCache<string, string[]>({
    max: 10,
    ttl: VOCABULARY_MILLIS,
    fetchMethod: (table) => this.readVocabulary(table),
  });

  constructor(orm: MikroORM) {
    this.orm = orm;
  }

  /** Undefined if the text holds no word. @throws VALIDATION_FAILED if it is too long */
  async of(
    table: 'exercise' | 'workout_routine' | 'product',
    text: string | null | undefined,
  ): Promise<TextSearch | undefined> {
    const { search } = validated(searchFilter, { search: text });
    const words = wordsOf(search ?? '').slice(0, MAX_WORDS);
    if (words.length === 0) return undefined;
    const vocabulary = (await this.vocabularies.fetch(table)) ?? [];
    const params: string[] = [];
    const query = words
      .map((word) => {
        const alternatives = vocabulary.some((known) => known.startsWith(word))
          ? [word]
          : [word, ...nearest(word, vocabulary)];
        params.push(...alternatives.flatMap((alternative) => [`${alternative}:*`, alternative]));
        return `(${alternatives.map(() => "(to_tsquery('simple', ?) || plainto_tsquery('english', ?))").join(' || ')})`;
      })
      .join(' && ');
    const plain = words.join(' ');
    return {
      query,
      params,
      order: {
        name: 'relevance',
        // Rounded, so that a cursor meets the same number again.
        key: `(case when ${EXACT[table]} then 10000000 else 0 end + round((ts_rank(search, ${query}) * 1000000)::numeric)::bigint)`,
        params: [plain, JSON.stringify([plain]), ...params],
        type: 'bigint',
        descending: true,
      },
    };
  }

  private async readVocabulary(table: string): Promise<string[]> {
    const rows = await this.orm.em
      .fork()
      .execute<{ word: string }[]>('select word from ts_stat(?)', [
        `select search from ${table} where deleted_at is null`,
      ]);
    return rows.map((row) => row.word);
  }
}

const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .map((word) => word.slice(0, 40));

/** At most three known words that a slip of the keyboard makes of one another. */
function nearest(word: string, vocabulary: readonly string[]): string[] {
  const allowed = word.length < 4 ? 0 : word.length < 7 ? 1 : 2;
  if (allowed === 0) return [];
  return vocabulary
    .filter((known) => Math.abs(known.length - word.length) <= allowed && /^[\p{L}\p{N}]+$/u.test(known))
    .map((known) => ({ known, distance: editDistance(word, known, allowed) }))
    .filter(({ distance }) => distance <= allowed)
    .toSorted((one, other) => one.distance - other.distance)
    .slice(0, 3)
    .map(({ known }) => known);
}

/** Edits between two words, a swap of neighbours counting as one (optimal string alignment); above `limit` it may be any greater number. */
export function editDistance(one: string, other: string, limit: number): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_unused, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1];
      let best = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        best = Math.min(best, (beforeLast[j - 2] ?? 0) + 1);
      row.push(best);
    }
    if (Math.min(...row) > limit) return limit + 1;
    beforeLast = last;
    last = row;
  }
  return last[other.length] ?? 0;
}
