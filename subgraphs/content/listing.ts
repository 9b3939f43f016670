import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { requireUser } from '#server/auth/viewer.ts';
import { cursorsOf, invalidCursor, pageSize, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { visibleGym } from './access.ts';

/** One order of a list. */
export interface Order {
  name: string;
  /** SQL over the columns of the table; it is never null. */
  key: string;
  /** The values of the placeholders in `key`. */
  params?: readonly unknown[];
  /** The SQL type of the key. The key in a cursor is a text, and is cast to this type before the comparison. */
  type: 'text' | 'float8' | 'bigint' | 'timestamptz';
  descending?: boolean;
}

/** The conditions of a query with their values. */
export class Conditions {
  readonly sql: string[] = [];
  readonly params: unknown[] = [];

  add(sql: string, ...params: unknown[]): this {
    this.sql.push(`(${sql})`);
    this.params.push(...params);
    return this;
  }

  /** Adds the condition of a filter, unless the filter is absent, null or an empty text. */
  when<Value>(
    value: Value | null | undefined,
    sql: string,
    toParams: (value: Value) => unknown[] = (given) => [given],
  ): this {
    if (value !== undefined && value !== null && value !== '') this.add(sql, ...toParams(value));
    return this;
  }
}

/** The rows that are not deleted and that the viewer may see; with `gymId`, only those of that gym. */
export function visibleConditions(unit: UnitOfWork, gymId?: string | null): Conditions {
  const { sql, params } = ofGyms(unit);
  const conditions = new Conditions().add('deleted_at is null');
  if (sql) conditions.add(sql, ...params);
  return conditions.when(gymId, 'gym_id = ?');
}

/** The same as `visibleConditions`, for content that users may add for themselves. */
export function ownedConditions(unit: UnitOfWork, filter: OwnedFilter): Conditions {
  const { viewer } = unit;
  const { sql, params } = ofGyms(unit);
  const shared = sql ? `not is_private and (${sql})` : 'not is_private';
  const conditions = new Conditions().add('deleted_at is null');
  if (filter.mine) conditions.add('owner_id = ?', requireUser(viewer).userId);
  else if (viewer.kind === 'user') conditions.add(`(${shared}) or owner_id = ?`, ...params, viewer.userId);
  else conditions.add(shared, ...params);
  return conditions.when(filter.gymId, 'gym_id = ?');
}

/** Filters of a list of content that users may add for themselves. */
export interface OwnedFilter {
  gymId?: string | null | undefined;
  /** Only what the caller has added. */
  mine?: boolean | null | undefined;
}

/** SQL of whether content is global, or of the gym whose content the viewer may see; empty if they may see that of all gyms. */
function ofGyms({ viewer }: UnitOfWork): { sql: string; params: unknown[] } {
  const visible = visibleGym(viewer);
  if (visible === true) return { sql: '', params: [] };
  return visible === null
    ? { sql: 'gym_id is null', params: [] }
    : { sql: 'gym_id is null or gym_id = ?', params: [visible] };
}

const cursorShape = z.tuple([z.string(), z.union([z.string(), z.number()]), uuid()]);

/** A page of rows by keyset, so that the last page costs no more than the first. @throws VALIDATION_FAILED for a cursor of another order */
export async function pageOfRows<Row extends { id: string }>(
  unit: UnitOfWork,
  list: { table: string; columns: string; conditions: Conditions; order: Order },
  request: PageRequest,
): Promise<Page<Row>> {
  const { table, columns, conditions, order } = list;
  const cursors = cursorsOf<[string, string | number, string]>(table, cursorShape);
  const after = cursors.read(request.cursor);
  if (after && after[0] !== order.name)
    throw invalidCursor(
      `expected a cursor of this list by ${order.name}, got one of the list by ${after[0]}; start again without one`,
    );
  const keyParams = order.params ?? [];
  const where = [
    ...conditions.sql,
    ...(after ? [`(${order.key}, id) ${order.descending ? '<' : '>'} (?::${order.type}, ?::uuid)`] : []),
  ].join(' and ');
  const direction = order.descending ? 'desc' : 'asc';
  const rows = await unit.read<Row & { sortKey?: string | number }>(
    `select ${columns}, ${order.type === 'timestamptz' ? `to_char(${order.key} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')` : `(${order.key})`} as "sortKey" from ${table} where ${where} order by ${order.key} ${direction}, id ${direction} limit ?`,
    [
      ...keyParams,
      ...conditions.params,
      ...(after ? [...keyParams, after[1], after[2]] : []),
      ...keyParams,
      pageSize(request) + 1,
    ],
  );
  // The key is for the cursor; it is no field of the row.
  const keys = new Map<Row, string | number>();
  for (const row of rows) {
    keys.set(row, row.sortKey ?? '');
    delete row.sortKey;
  }
  return cursors.page<Row>(rows, request, (row) => [order.name, keys.get(row) ?? '', row.id]);
}
