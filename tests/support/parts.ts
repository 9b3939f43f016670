import type { FormattedExecutionResult, GraphQLFormattedError } from 'graphql';
import type { Untyped } from './platform/http-client.ts';

type Path = readonly (string | number)[];

interface Pending {
  id: string;
  path: Path;
  label?: string;
}

/** A message of an answer in parts, in either form. */
export interface PartsMessage {
  data?: Untyped;
  errors?: readonly GraphQLFormattedError[];
  pending?: readonly Pending[];
  incremental?: readonly {
    id?: string;
    path?: Path;
    label?: string;
    data: Untyped;
    errors?: readonly GraphQLFormattedError[];
  }[];
  completed?: readonly { id: string; errors?: readonly GraphQLFormattedError[] }[];
  hasNext: boolean;
}

export interface Merged extends FormattedExecutionResult<Untyped> {
  /** The paths of the parts that became null. */
  nulls: Path[];
}

/** What a client has after the last part. It throws if the messages break a rule of their form. */
export function mergedParts(messages: readonly PartsMessage[]): Merged {
  const [first] = messages;
  if (!first) throw new Error('no message');
  const { data } = structuredClone(first);
  const errors = [...(first.errors ?? [])];
  const nulls: Path[] = [];
  const pending = new Map<string, Pending>();
  const put = (path: Path, part: Untyped): void => {
    const target = valueAt(data, path);
    if (target !== null) deepMerge(target, part, path);
  };
  for (const [index, message] of messages.entries()) {
    if (message.hasNext !== index < messages.length - 1) throw new Error('a wrong hasNext');
    for (const one of message.pending ?? []) {
      if (pending.has(one.id)) throw new Error(`${one.id} is pending twice`);
      pending.set(one.id, one);
    }
    for (const part of message.incremental ?? []) {
      const path = part.path ?? pending.get(part.id ?? '')?.path;
      if (!path) throw new Error('a part that was not pending');
      if (part.data === null) nulls.push(path);
      else put(path, part.data);
      errors.push(...(part.errors ?? []));
    }
    for (const { id, errors: own } of message.completed ?? []) {
      const path = pending.get(id)?.path;
      if (!path || !pending.delete(id)) throw new Error(`${id} was not pending`);
      if (own) nulls.push(path);
      errors.push(...(own ?? []));
    }
  }
  if (pending.size > 0) throw new Error('parts are still pending at the end');
  return { data, ...(errors.length > 0 && { errors }), nulls };
}

/**
 * The object at a path. It is null at or below a null of an earlier part: another deferred fragment may select the same
 * object.
 */
function valueAt(data: Untyped, path: Path): Untyped {
  let value = data;
  for (const key of path) {
    value = value?.[key];
    if (value === null) return null;
  }
  if (typeof value !== 'object' || Array.isArray(value))
    throw new Error(`there is no object at ${path.join('.')}`);
  return value;
}

function deepMerge(target: Untyped, source: Untyped, path: Path): void {
  for (const [key, value] of Object.entries(source as object)) {
    const known = target[key];
    const bothObjects =
      typeof known === 'object' && known !== null && typeof value === 'object' && value !== null;
    if (bothObjects && Array.isArray(known) === Array.isArray(value)) deepMerge(known, value, [...path, key]);
    else if (known !== null) target[key] = value; // a null of an earlier part stays
  }
}

/** The messages in the body of a multipart answer. */
export function partsIn(body: string): PartsMessage[] {
  const [preamble, ...parts] = body.split('\r\n--graphql');
  if (preamble !== '' || parts.pop() !== '--\r\n') throw new Error(`not multipart: ${body}`);
  return parts.map((part) => {
    const [head = '', json = ''] = part.split('\r\n\r\n', 2);
    if (head.trim() !== 'Content-Type: application/json') throw new Error(`not a part: ${part}`);
    return JSON.parse(json) as PartsMessage;
  });
}

/** The `Accept` of a client for each form of answers in parts. */
export const ACCEPT_PARTS = {
  '2022': 'multipart/mixed;deferSpec=20220824,application/graphql-response+json,application/json;q=0.9',
  'v0.2': 'multipart/mixed;incrementalSpec=v0.2,application/graphql-response+json,application/json;q=0.9',
} as const;
