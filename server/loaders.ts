import DataLoader from 'dataloader';

/**
 * A DataLoader that loads by id (or another unique key). `find` is called once for all keys of one tick, and may return
 * the rows in any order; the result for a key without a row is null.
 */
export function loaderOf<Item>(
  find: (ids: readonly string[]) => Promise<readonly Item[]>,
  keyOf: (item: Item) => string,
): DataLoader<string, Item | null> {
  return new DataLoader(async (ids) => {
    const found = new Map((await find(ids)).map((item) => [keyOf(item), item]));
    return ids.map((id) => found.get(id) ?? null);
  });
}

/**
 * As `listLoaderOf`, for the first `count` items of each key: `find` is called once for all keys of one tick with the same
 * count. Nothing is cached, because lists change between the mutations of one operation.
 */
export function firstItemsLoaderOf<Item>(
  find: (keys: readonly string[], count: number) => Promise<readonly Item[]>,
  keyOf: (item: Item) => string,
): (key: string, count: number) => Promise<Item[]> {
  const byCount = new Map<number, DataLoader<string, Item[]>>();
  return (key, count) => {
    const loader =
      byCount.get(count) ??
      new DataLoader<string, Item[]>(
        async (keys) => {
          const found = Map.groupBy(await find([...new Set(keys)], count), keyOf);
          return keys.map((one) => found.get(one) ?? []);
        },
        { cache: false },
      );
    byCount.set(count, loader);
    return loader.load(key);
  };
}

/** As `loaderOf`, for lists: all items of each key, in the order in which `find` returns them. */
export function listLoaderOf<Item>(
  find: (keys: readonly string[]) => Promise<readonly Item[]>,
  keyOf: (item: Item) => string,
): DataLoader<string, Item[]> {
  return new DataLoader(async (keys) => {
    const found = Map.groupBy(await find(keys), keyOf);
    return keys.map((key) => found.get(key) ?? []);
  });
}
