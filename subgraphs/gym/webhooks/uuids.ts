/** An array as PostgreSQL's text, because the ORM expands arrays to lists of values. */
export const uuids = (ids: Iterable<string>): string => `{${[...new Set(ids)].join(',')}}`;
