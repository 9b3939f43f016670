/** The ids, each once, as the text of a PostgreSQL array, because the ORM would expand an array to a list of values. */
export const uuids = (ids: Iterable<string>): string => `{${[...new Set(ids)].join(',')}}`;
