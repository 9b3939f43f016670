import { createHash } from 'node:crypto';
import { z } from 'zod';
import { invalid, invalidParameter } from './errors.ts';
import { jsonIn } from './json-object.ts';

const DEFAULT_PAGE_SIZE = 50;
export const MAX_PAGE_SIZE = 200;

/** The parameters of a list: at most `limit` items after `cursor`. */
export interface PageRequest {
  limit?: number | undefined;
  cursor?: string | null | undefined;
}

/** One page of a list. REST sends its items and a `Link` header; the graph sends it as a connection. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  /** The cursor of the page that begins after this item. */
  cursorOf(item: Item): string;
  /** The version of the whole list, if it has one; REST sends it in `ETag`. */
  readonly version?: number;
  /** Services that did not answer, so that the page lacks their data; REST sends their names as `Incomplete`. */
  readonly missing?: readonly string[];
}

const CURSOR_EXPECTED = 'expected a cursor from an earlier page of this list; start again without one';

/** A cursor from a client. The platform's cursors are far shorter than this limit. */
export const cursorText = z.string().max(4_096, CURSOR_EXPECTED);

/** The error of `?cursor=` or `after`. */
export const invalidCursor = (message: string) =>
  invalidParameter({ rest: 'cursor', graph: 'after' }, message);

/** `?limit=` and `?cursor=` of every REST list. */
export const pageQuery = z.object({
  limit: z.coerce
    .number('expected a whole number of at least 1')
    .int('expected a whole number of at least 1')
    .min(1, 'expected a whole number of at least 1')
    .default(DEFAULT_PAGE_SIZE)
    .meta({
      description: `Items a page, at most ${MAX_PAGE_SIZE}; a larger number is treated as ${MAX_PAGE_SIZE}.`,
    }),
  cursor: cursorText
    .optional()
    .meta({ description: 'The start of the page: the cursor in the Link header of the previous page.' }),
});

/** `?limit=` and `?cursor=` of a list whose length is bounded by its nature. Without a limit the whole list is sent. */
export const wholeListQuery = pageQuery.extend({
  limit: pageQuery.shape.limit
    .unwrap()
    .optional()
    .meta({ description: `Items a page, at most ${MAX_PAGE_SIZE}. Default: the whole list.` }),
});

/**
 * The requested page of a list that is in memory as a whole. Its cursors are positions, so a page may repeat or skip an item
 * if the list has changed since the previous page.
 */
export function pageOfWhole<Item>(items: readonly Item[], request: PageRequest): Page<Item> {
  const [start] = positions.read(request.cursor) ?? [0];
  const end = request.limit === undefined ? items.length : start + pageSize(request);
  const shown = items.slice(start, end);
  return {
    items: shown,
    hasNextPage: end < items.length,
    hasPreviousPage: start > 0,
    cursorOf: (item) => positions.write([start + shown.indexOf(item) + 1]),
  };
}

/**
 * The effective page size of a request. REST refuses 0 by `pageQuery`. Relay's specification allows `first: 0`: the page is
 * empty, and says whether there are items.
 * @throws VALIDATION_FAILED unless it is a whole number of at least 0
 */
export function pageSize(request: PageRequest): number {
  const limit = request.limit ?? DEFAULT_PAGE_SIZE;
  if (!Number.isInteger(limit) || limit < 0)
    throw invalidParameter(
      { rest: 'limit', graph: 'first' },
      `expected a whole number of at least 0, got ${limit}`,
    );
  return Math.min(limit, MAX_PAGE_SIZE);
}

/**
 * The cursors of one kind of list. A cursor contains the sort keys of the last item of a page (keyset paging); callers must
 * not read it.
 *
 *     const cursors = cursorsOf('locations', z.tuple([z.string(), uuid()]));
 *     const after = cursors.read(request.cursor);        // [name, id] | undefined
 *     const rows = await ... limit pageSize(request) + 1
 *     return cursors.page(rows, request, (row) => [row.name, row.id]);
 *
 * @param refusal the parameter and the message of the error for a cursor that was not issued. Default: those of a list
 */
export function cursorsOf<Keys extends readonly unknown[]>(
  list: string,
  shape: z.ZodType<Keys>,
  refusal?: { path: string; message: string },
) {
  const wrongCursor = () =>
    refusal ? invalid(refusal.path, refusal.message) : invalidCursor(CURSOR_EXPECTED);
  const write = (keys: Keys): string => {
    const text = JSON.stringify(keys);
    return Buffer.from(`${checksum(list, text)}${text}`).toString('base64url');
  };
  const read = (cursor: string | null | undefined): Keys | undefined => {
    if (cursor === undefined || cursor === null) return undefined;
    const raw = Buffer.from(cursor, 'base64url').toString('utf8');
    const text = raw.slice(CHECKSUM_LENGTH);
    if (raw.slice(0, CHECKSUM_LENGTH) !== checksum(list, text)) throw wrongCursor();
    // The checksum has no key, so a client can compute it for any text.
    const keys = shape.safeParse(jsonIn(text));
    if (!keys.success) throw wrongCursor();
    return keys.data;
  };
  return {
    read,
    write,
    /** Creates a page from `pageSize(request) + 1` rows; the additional row only shows that there is a next page. */
    page<Item>(rows: readonly Item[], request: PageRequest, keysOf: (item: Item) => Keys): Page<Item> {
      const size = pageSize(request);
      return {
        items: rows.slice(0, size),
        hasNextPage: rows.length > size,
        hasPreviousPage: typeof request.cursor === 'string',
        cursorOf: (item) => write(keysOf(item)),
      };
    },
  };
}

/** The same page with each item mapped. */
export function mapPage<From, To extends object>(page: Page<From>, present: (item: From) => To): Page<To> {
  const origins = new Map<To, From>();
  const items = page.items.map((item) => {
    const shown = present(item);
    origins.set(shown, item);
    return shown;
  });
  return { ...page, items, cursorOf: (item) => page.cursorOf(origins.get(item) as From) };
}

// The checksum detects invented cursors and cursors of other lists. It needs no secret, because a cursor grants no access.
const CHECKSUM_LENGTH = 6;
const checksum = (list: string, text: string): string =>
  createHash('sha256').update(`${list}\n${text}`).digest('base64url').slice(0, CHECKSUM_LENGTH);
const positions = cursorsOf('whole', z.tuple([z.int().min(0)]));
