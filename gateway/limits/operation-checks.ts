import type { Request, RequestHandler } from 'express';
import type { Viewer } from '#server/auth/viewer.ts';
import { parse } from 'graphql';
import { PlatformError } from '#server/errors.ts';
import { operationLimiter, OPERATION_LIMITS, type OperationLimits } from '#server/graphql/limits.ts';
import { contextOf } from '#server/http/request-context.ts';
import { isJsonObject, jsonIn } from '#server/json-object.ts';
import { hasDefer, mayDefer } from '../defer/defer-directive.ts';
import type { OperationReference, PersistedOperations } from '../operations/persisted-operations.ts';

/** The maximum number of operations in a batch, which is a JSON array. */
const MAX_BATCH = 10;

/**
 * Checks operations before they are validated: their number, the size of each, and whether an unregistered one is
 * allowed. Inserts the texts of operations that the client sent by hash or id only.
 */
export function operationChecks(
  persisted: PersistedOperations,
  anonymousLimits: OperationLimits,
): RequestHandler {
  const limiter = operationLimiter(OPERATION_LIMITS, anonymousLimits);
  const checked = <Operation extends OperationReference>(operation: Operation, viewer: Viewer): Operation => {
    const text = persisted.textOf(operation);
    if (text === undefined) return operation;
    limiter.check(text, viewer);
    if (text === operation.query && !isJsonObject(operation.extensions)) return operation;
    return {
      ...operation,
      query: text,
      documentId: undefined,
      extensions: withoutReference(operation.extensions),
    };
  };
  return async (req, res, next) => {
    const { viewer } = contextOf(res);
    if (req.method === 'GET') {
      await persisted.load(operationInUrl(urlOf(req)));
      checkUrl(req, (operation) => checked(operation, viewer));
    } else if (Array.isArray(req.body)) {
      if (req.body.length > MAX_BATCH)
        throw new PlatformError(
          'OPERATION_LIMIT_EXCEEDED',
          `A request may contain ${MAX_BATCH} operations, this one contains ${req.body.length}; split it.`,
        );
      await Promise.all(req.body.filter(isJsonObject).map((operation) => persisted.load(operation)));
      req.body = req.body.map((operation: unknown) =>
        isJsonObject(operation) ? checked(operation, viewer) : operation,
      );
      if (req.body.some(isDeferred)) throw notInBatch();
    } else if (isJsonObject(req.body)) {
      await persisted.load(req.body);
      req.body = checked(req.body, viewer);
    }
    req.body ??= {};
    next();
  };
}

/** Checks the operation of a GET, and writes its text into the URL if the client sent a hash or id only (GraphQL over HTTP). */
function checkUrl(req: Request, check: (operation: OperationReference) => OperationReference): void {
  const url = urlOf(req);
  const { searchParams } = url;
  const operation = operationInUrl(url);
  const { extensions } = operation;
  const { query } = check(operation);
  if (typeof query !== 'string' || query === searchParams.get('query')) return;
  searchParams.set('query', query);
  searchParams.set('extensions', JSON.stringify(withoutReference(extensions)));
  req.url = `${url.pathname}?${searchParams.toString()}`;
}

const urlOf = (req: Request): URL => new URL(req.url, 'http://gateway');

const operationInUrl = ({ searchParams }: URL): OperationReference => ({
  query: searchParams.get('query') ?? undefined,
  documentId: searchParams.get('documentId') ?? undefined,
  extensions: jsonIn(searchParams.get('extensions') ?? ''), // Apollo Server refuses an invalid one
});

function withoutReference(extensions: unknown): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(isJsonObject(extensions) ? extensions : {}).filter(([name]) => name !== 'persistedQuery'),
  );
}

/** One answer contains the results of all operations of a batch, so none of them can have parts. */
const notInBatch = (): PlatformError =>
  new PlatformError(
    'VALIDATION_FAILED',
    'An operation with @defer cannot be part of a batch: send it in a request of its own.',
  );

function isDeferred(operation: unknown): boolean {
  const text = isJsonObject(operation) ? operation['query'] : undefined;
  if (typeof text !== 'string' || !mayDefer(text)) return false;
  try {
    return hasDefer(parse(text, { noLocation: true }));
  } catch {
    return false; // Apollo Server refuses it
  }
}
