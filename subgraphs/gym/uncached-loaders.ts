import DataLoader from 'dataloader';

/*
 * Loaders that only batch. They are for what also changes through other rules of the same operation: a cached value would
 * be what an earlier mutation of the operation has read.
 */

/** As `loaderOf` of server/loaders, without a cache. */
export const uncachedLoaderOf = <Item>(
  find: (ids: readonly string[]) => Promise<readonly Item[]>,
  keyOf: (item: Item) => string,
): DataLoader<string, Item | null> =>
  new DataLoader(
    async (ids) => {
      const found = new Map((await find([...new Set(ids)])).map((item) => [keyOf(item), item]));
      return ids.map((id) => found.get(id) ?? null);
    },
    { cache: false },
  );

/** As `listLoaderOf` of server/loaders, without a cache. */
export const uncachedListLoaderOf = <Item>(
  find: (keys: readonly string[]) => Promise<readonly Item[]>,
  keyOf: (item: Item) => string,
): DataLoader<string, Item[]> =>
  new DataLoader(
    async (keys) => {
      const found = Map.groupBy(await find([...new Set(keys)]), keyOf);
      return keys.map((key) => found.get(key) ?? []);
    },
    { cache: false },
  );
