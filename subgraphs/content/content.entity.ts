import { p } from '@mikro-orm/core';
import { uuidv7 } from '#server/ids.ts';

/** Properties that exercises, routines and products have in common. */
export const contentProperties = () => ({
  id: p
    .uuid()
    .primary()
    .onCreate(() => uuidv7()),
  /** Null: global, so that every gym has it. */
  gymId: p.uuid().nullable(),
  version: p.integer().default(1),
  createdAt: p.datetime().onCreate(() => new Date()),
  updatedAt: p.datetime().onCreate(() => new Date()),
  /** Deleted content leaves lists and searches, but what refers to it can still read its row. */
  deletedAt: p.datetime().nullable(),
});

/** Properties of content that users may add for themselves: exercises and routines. */
export const ownedProperties = () => ({
  /** The user who has added it; null: it belongs to a gym, or to every gym. */
  ownerId: p.uuid().nullable(),
  /**
   * Whether only the owner sees it; it then belongs to no gym. An exercise is also seen by those who may read a routine that
   * uses it.
   */
  isPrivate: p.boolean().default(false),
});

/** The generated column of the full-text search. */
export const searchColumn = (vectors: readonly string[]) =>
  p
    .text()
    .columnType('tsvector')
    .generated(`(${vectors.join(' || ')}) stored`)
    .nullable()
    .lazy();

/** SQL of the words of a column: `english` finds stems, `simple` words as they are written; `A` ranks highest. */
export const wordsOf = (
  config: 'english' | 'simple',
  column: string,
  weight?: 'A' | 'B' | 'C' | 'D',
): string => weighted(`to_tsvector('${config}'::regconfig, ${column})`, weight);

/** The same as `wordsOf`, for a column with a JSON list of texts. */
export const wordsOfList = (config: 'english' | 'simple', column: string, weight: 'B' | 'C'): string =>
  weighted(`jsonb_to_tsvector('${config}'::regconfig, ${column}, '["string"]')`, weight);

const weighted = (vector: string, weight: string | undefined): string =>
  weight === undefined ? vector : `setweight(${vector}, '${weight}')`;

/**
 * The indexes of a table. For each order and filter of its lists there is one that contains only rows that are not deleted;
 * the GIN indexes contain all rows.
 */
export function contentIndexes(table: string, lists: Record<string, string>, gins: Record<string, string>) {
  const index = (name: string, rest: string) => ({
    name: `${table}_${name}`,
    expression: `create index "${table}_${name}" on "${table}" ${rest}`,
  });
  return [
    ...Object.entries(lists).map(([name, columns]) =>
      index(name, `(${columns}, "id") where "deleted_at" is null`),
    ),
    ...Object.entries(gins).map(([name, columns]) => index(name, `using gin (${columns})`)),
    { properties: ['gymId' as const] },
  ];
}

/** An index that finds the rows of pictures, so that pictures without a row can be removed; most rows have no picture. */
export const imageIndex = (table: string, image = '"image"') => ({
  name: `${table}_image`,
  expression: `create index "${table}_image" on "${table}" (${image}) where ${image} is not null`,
});

/** The same as `contentIndexes`, for content that users may add for themselves. */
export const ownedIndexes = (...parts: Parameters<typeof contentIndexes>) => [
  ...contentIndexes(...parts),
  { properties: ['ownerId' as const] },
];

/** @param hasOwner SQL of whether a private row may have its owner */
export const ownedChecks = (table: string, hasOwner = '"owner_id" is not null') => [
  {
    name: `${table}_private`,
    expression: `not "is_private" or (${hasOwner} and "gym_id" is null)`,
  },
];
