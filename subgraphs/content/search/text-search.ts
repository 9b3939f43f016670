import type { MikroORM } from '@mikro-orm/postgresql';
import { LRUCache } from 'lru-cache';
import { searchFilter } from '#server/shapes.ts';
import { validated } from '#server/validate.ts';
import type { Order } from '../listing.ts';
import { Vocabulary, type Meanings } from './vocabulary.ts';

/** A text search as SQL over the column `search`. */
export interface TextSearch {
  condition: string;
  params: string[];
  /** The best match first. */
  order: Order;
}

const VOCABULARY_MILLIS = 30_000; // 30 s
/**
 * The maximum number of rows that are read, and of their most frequent words. Each counts for global rows and for rows of
 * gyms separately.
 */
const VOCABULARY_ROWS = 20_000;
const VOCABULARY_WORDS = 10_000;
const MAX_WORDS = 8;

/** SQL of a name as one word in lower case, so that hyphens, spaces and apostrophes make no difference. */
const joined = (sql: string) => `translate(lower(${sql}), ' -''’&/.', '')`;

/** SQL of whether the text is exactly a name, alias, category or SKU. Its placeholders take the text twice: as text and as a JSON list. */
const EXACT = {
  exercise: `${joined('name')} = ? or ${joined('aliases::text')}::jsonb @> ?::jsonb`,
  workout_routine: `${joined('title')} = ? or ${joined('category')} = ?::jsonb->>0`,
  product: `${joined('name')} = ? or ${joined('sku')} = ?::jsonb->>0`,
} as const;

/** The search for a text without a letter or digit. */
const NOTHING: TextSearch = {
  condition: 'false',
  params: [],
  order: { name: 'relevance', key: '0::bigint', type: 'bigint', descending: true },
};

/**
 * Full-text search by PostgreSQL without extensions, which not every server has or lets a service install. A row must
 * contain every typed word: as the beginning of one of its words or by its stem, alone or joined with its neighbour
 * (`dead lift`). A typed word may also be two words without a space (`benchpress`). If no word of the table begins with the
 * typed word, it counts as a typing error of the nearest words of the table. Rows with the words as they were typed come
 * before rows that match only with a correction.
 */
export class TextSearches {
  private readonly orm: MikroORM;
  private readonly vocabularies = new LRUCache<string, Vocabulary>({
    max: 10,
    ttl: VOCABULARY_MILLIS,
    fetchMethod: (table) => this.readVocabulary(table),
  });

  constructor(orm: MikroORM) {
    this.orm = orm;
  }

  /** Undefined if the text is absent or empty. @throws VALIDATION_FAILED if it is too long */
  async of(
    table: 'exercise' | 'workout_routine' | 'product',
    text: string | null | undefined,
  ): Promise<TextSearch | undefined> {
    const { search } = validated(searchFilter, { search: text });
    if (!search?.trim()) return undefined;
    const words = wordsOf(search).slice(0, MAX_WORDS);
    if (words.length === 0) return NOTHING;
    const vocabulary = await this.vocabularies.fetch(table);
    const meanings =
      vocabulary?.meaningsOf(words) ?? words.map((word) => ({ exact: [[word]], uncertain: [] }));
    const all = queryOf(meanings, ({ exact, uncertain }) => [...exact, ...uncertain]);
    const exact = queryOf(meanings, (meaning) => meaning.exact);
    const hasUncertain = meanings.some(({ uncertain }) => uncertain.length > 0);
    const plain = words.join('');
    return {
      condition: `search @@ (${all.sql})`,
      params: all.params,
      order: {
        name: 'relevance',
        // Rounded, so that a later page computes the same number as its cursor.
        key: `(case when ${EXACT[table]} then 10000000${hasUncertain ? ` when search @@ (${exact.sql}) then 2000000` : ''} else 0 end + round((ts_rank(search, ${all.sql}) * 1000000)::numeric)::bigint)`,
        params: [plain, JSON.stringify([plain]), ...(hasUncertain ? exact.params : []), ...all.params],
        type: 'bigint',
        descending: true,
      },
    };
  }

  /** The words of the oldest global rows, among which is the common library, and of the latest rows of gyms. */
  private async readVocabulary(table: string): Promise<Vocabulary> {
    const words = 'select word from ts_stat(?) order by nentry desc limit ?';
    const part = (condition: string, direction: 'asc' | 'desc') =>
      `select search from ${table} where deleted_at is null and ${condition} order by created_at ${direction}, id ${direction} limit ${VOCABULARY_ROWS}`;
    const rows = await this.orm.em.fork().execute<{ word: string }[]>(`(${words}) union (${words})`, [
      // Without private rows: their words must not correct the searches of other users.
      part(table === 'product' ? 'gym_id is null' : 'gym_id is null and not is_private', 'asc'),
      VOCABULARY_WORDS,
      part('gym_id is not null', 'desc'),
      VOCABULARY_WORDS,
    ]);
    return new Vocabulary(rows.map((row) => row.word));
  }
}

/** SQL of a tsquery that matches one alternative of every word. */
function queryOf(
  meanings: readonly Meanings[],
  alternativesOf: (meaning: Meanings) => string[][],
): { sql: string; params: string[] } {
  const params: string[] = [];
  const sql = meanings
    .map((meaning) => {
      const alternatives = alternativesOf(meaning).map((parts) => {
        params.push(...parts.flatMap((part) => [`${part}:*`, part]));
        return parts.map(() => "(to_tsquery('simple', ?) || plainto_tsquery('english', ?))").join(' && ');
      });
      return `(${alternatives.map((one) => `(${one})`).join(' || ')})`;
    })
    .join(' && ');
  return { sql, params };
}

/** The lower case of each character by itself, as PostgreSQL makes it. `toLowerCase` of a word ends with ς if its last letter is Σ. */
const inLowerCase = (text: string): string =>
  text.replaceAll(/[\p{Lu}\p{Lt}]/gu, (letter) =>
    String.fromCodePoint(letter.toLowerCase().codePointAt(0) ?? 0),
  );

const wordsOf = (text: string): string[] =>
  inLowerCase(text.normalize('NFKC').replaceAll(/['’]/g, ''))
    .replaceAll(/\b(upper|lower)[\s-]+body\b/g, '$1body')
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
    .map((word) => word.slice(0, 40));
