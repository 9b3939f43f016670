import type { UnitOfWork } from '#server/unit-of-work.ts';

/** The form of the keys that `Media` writes: a picture has a file for each size. */
const KEY = /^media\/([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12})-[a-z]+\.webp$/;

/**
 * Which of these keys the rows refer to. Deleted content counts, too, and so do all versions of routines, because they stay
 * readable. Every column that can contain the path of a picture must be read here: files to which none refers are removed.
 */
export async function usedPictures(unit: UnitOfWork, keys: readonly string[]): Promise<ReadonlySet<string>> {
  const ids = new Set(keys.flatMap((key) => KEY.exec(key)?.[1] ?? []));
  const named = await namedByPath(unit, [...ids]);
  const inTexts = await namedInProducts(
    unit,
    [...ids].filter((id) => !named.has(id)),
  );
  const used = new Set([...named, ...inTexts]);
  return new Set(keys.filter((key) => used.has(KEY.exec(key)?.[1] ?? '')));
}

/** The pictures whose path, as `Media` returns it, is in a column. */
async function namedByPath(unit: UnitOfWork, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const paths = ids.map((id) => `/media/${id}.webp`);
  const rows = await unit.read<{ path: string }>(
    `select image as path from exercise where image = any(?::text[])
     union select image from workout_routine where image = any(?::text[])
     union select content->>'image' from workout_routine_version where content->>'image' = any(?::text[])
     union select jsonb_array_elements_text(images) from product
       where images @> any(array(select jsonb_build_array(path) from unnest(?::text[]) as wanted(path)))`,
    [paths, paths, paths, paths],
  );
  const named = new Set(rows.map(({ path }) => path));
  return new Set(ids.filter((_id, index) => named.has(paths[index] ?? '')));
}

/**
 * The pictures that products name in another form: staff may write a path with a query, and the whole URL at a gateway. This
 * reads all products that have pictures, so it is asked only about the few pictures that have no row by their path.
 */
async function namedInProducts(unit: UnitOfWork, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await unit.read<{ id: string }>(
    `select distinct named.id[1] as id
     from product cross join lateral regexp_matches(images::text, '/media/([0-9a-f-]{36})', 'g') as named(id)
     where images <> '[]' and named.id[1] = any(?::text[])`,
    [ids],
  );
  return new Set(rows.map(({ id }) => id));
}
