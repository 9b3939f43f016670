import { pageSize, type PageRequest } from '#server/paging.ts';

/** The items of the page that follows the keys `after`, and the next item, as `cursorsOf(...).page` expects. */
export function sliceAfter<Item>(
  newestFirst: readonly Item[],
  after: readonly [string, string] | undefined,
  keysOf: (item: Item) => [string, string],
  request: PageRequest,
): Item[] {
  const start = after ? newestFirst.findIndex((item) => isOlder(keysOf(item), after)) : 0;
  return start < 0 ? [] : newestFirst.slice(start, start + pageSize(request) + 1);
}

/** Whether the first item comes after the second in a list that is sorted newest first. */
export const isOlder = (one: readonly [string, string], other: readonly [string, string]): boolean =>
  one[0] < other[0] || (one[0] === other[0] && one[1] < other[1]);
