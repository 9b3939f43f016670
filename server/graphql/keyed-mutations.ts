import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import {
  defaultFieldResolver,
  getOperationAST,
  OperationTypeNode,
  parse,
  type DocumentNode,
  type GraphQLSchema,
} from 'graphql';
import type { FileUpload } from 'graphql-upload/processRequest.mjs';
import { RolledBackError } from '../database/platform-client.ts';
import { ERRORS, invalid } from '../errors.ts';
import type { RequestContext } from '../http/request-context.ts';
import {
  callerOf,
  keyOf,
  type IdempotencyStore,
  type KeyedRequest,
  type StoredAnswer,
} from '../rest/idempotency.ts';
import type { UnitOfWork } from '../unit-of-work.ts';

/**
 * The header by which the gateway says which part of a client's operation a mutation is: `<place>;<SHA-256>`. The place
 * counts the operation's mutations at this service from 0. The digest is that of the client's request without its files, and
 * not of the mutation, because the gateway's plan may differ between two releases of a schema.
 */
export const IDEMPOTENCY_SCOPE = 'idempotency-scope';

interface GraphRequest {
  query?: unknown;
  operationName?: unknown;
  variables?: unknown;
}

/**
 * The mutation of a request with an `Idempotency-Key`; undefined for any other request.
 * @throws VALIDATION_FAILED for a malformed key or `Idempotency-Scope`
 */
export async function keyedMutation(
  headers: IncomingHttpHeaders,
  body: unknown,
  { viewer, address }: Pick<RequestContext, 'viewer' | 'address'>,
): Promise<KeyedRequest | undefined> {
  const header = headers['idempotency-key'];
  if (typeof header !== 'string' || !isMutation(body)) return undefined;
  const key = keyOf(header);
  const scope = headers[IDEMPOTENCY_SCOPE];
  const { place, digest } = scope === undefined ? { place: undefined, digest: undefined } : scopeOf(scope);
  return {
    caller: callerOf(viewer, address),
    // A client's key contains no spaces, so a key with a place never equals the key of another request.
    key: place === undefined ? key : `${place} ${key}`,
    operation: 'POST /graphql',
    fingerprint: await fingerprintOf(body, digest),
  };
}

function isMutation(body: unknown): body is GraphRequest {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false;
  const { query, operationName } = body as GraphRequest;
  if (typeof query !== 'string') return false;
  let document: DocumentNode;
  try {
    document = parse(query, { noLocation: true });
  } catch {
    return false; // Apollo Server then reports the error
  }
  const name = typeof operationName === 'string' && operationName !== '' ? operationName : undefined;
  return getOperationAST(document, name)?.operation === OperationTypeNode.MUTATION;
}

function scopeOf(header: string | string[]): { place: string; digest: string } {
  const [, place, digest] = /^(\d{1,3});([0-9a-f]{64})$/.exec(String(header)) ?? [];
  if (place === undefined || digest === undefined)
    throw invalid(
      'Idempotency-Scope',
      'expected the value that the gateway sends; only the gateway may send this header',
    );
  return { place, digest };
}

/** @param digest of the client's request to the gateway, without the files, which are hashed here; undefined without a gateway */
async function fingerprintOf(
  { query, operationName, variables }: GraphRequest,
  digest: string | undefined,
): Promise<string> {
  const uploads: Upload[] = [];
  const text = JSON.stringify([query, operationName ?? null, variables ?? null], (_key, value: unknown) => {
    if (!isUpload(value)) return value;
    uploads.push(value);
    return 'file';
  });
  const hash = createHash('sha256').update(digest ?? text);
  for (const { promise } of uploads) {
    try {
      const { filename, createReadStream } = await promise;
      hash.update(`\n${filename}\n`);
      for await (const chunk of createReadStream()) hash.update(chunk as Buffer);
    } catch {
      hash.update('\nbroken off'); // the upload was interrupted, which the resolver that reads the file reports
    }
  }
  return hash.digest('hex');
}

/** A file in the variables, as graphql-upload represents it. */
interface Upload {
  promise: Promise<FileUpload>;
}

const isUpload = (value: unknown): value is Upload =>
  typeof value === 'object' && value !== null && 'promise' in value && value.promise instanceof Promise;

/**
 * Runs a keyed mutation once.
 *
 * - A store that `undoes` writes the operation and its key in one transaction. An error of status 500 or above rolls back the
 *   whole operation, also the fields that succeeded: otherwise a repeated request would write them twice. The answer then has
 *   no data, and the key is free again.
 * - Any other store keeps the answer with such an error if a field succeeded; if none did, the key is free again.
 * - If every field is refused with 401 or 429, the answer is not stored, as in REST. Writes of the refused fields, such as
 *   a count of failed log-ins, are committed. If only some fields are refused in this way, the answer is stored.
 * - Every other answer is stored, and returned to repeated requests.
 */
export async function answerOnce(
  store: IdempotencyStore,
  request: KeyedRequest,
  execute: () => Promise<StoredAnswer>,
): Promise<{ answer: StoredAnswer; replayed: boolean }> {
  let executed: StoredAnswer | undefined;
  try {
    const { answer = executed, replayed } = await store.once(request, async () => {
      executed = await execute();
      const decision = decisionAbout(executed, store.undoes);
      if (decision === 'undo') throw new RolledBackError();
      return decision === 'keep' ? executed : undefined;
    });
    if (!answer) throw new Error('a keyed mutation has neither a stored nor a new answer');
    return { answer, replayed };
  } catch (error) {
    // PlatformClient throws the same error if a statement failed after the writes and the database rolled them back.
    if (error instanceof RolledBackError && executed && errorsIn(executed).length > 0)
      return { answer: withoutData(executed), replayed: false };
    throw error;
  }
}

interface GraphAnswer {
  data?: Record<string, unknown> | null;
  errors?: { message: string; path?: (string | number)[]; extensions?: { http?: { status?: number } } }[];
}

const read = ({ body }: StoredAnswer): GraphAnswer => JSON.parse(body ?? '{}') as GraphAnswer;
const errorsIn = (answer: StoredAnswer) => read(answer).errors ?? [];
/** GraphQL's own errors, such as those of validation, have no status. */
const statusOf = (error: ReturnType<typeof errorsIn>[number]): number =>
  error.extensions?.http?.status ?? 400;

/** `keep`: the answer is stored. `free`: it is not, so the key can be used again. `undo`: the transaction is rolled back, too. */
function decisionAbout(answer: StoredAnswer, undoes: boolean): 'keep' | 'free' | 'undo' {
  const { data, errors = [] } = read(answer);
  const statuses = errors.map(statusOf);
  const hasData = Object.values(data ?? {}).some((value) => value !== null);
  if (statuses.some((status) => status >= 500)) return undoes ? 'undo' : hasData ? 'keep' : 'free';
  const isRefused =
    statuses.length > 0 &&
    statuses.every(
      (status) => status === ERRORS.UNAUTHENTICATED.status || status === ERRORS.RATE_LIMITED.status,
    );
  return isRefused && !hasData ? 'free' : 'keep';
}

/** The answer of a rolled-back operation. Each field that had succeeded gets an error, which explains its null. */
function withoutData(answer: StoredAnswer): StoredAnswer {
  const { data, errors = [] } = read(answer);
  const failed = errors.find((error) => statusOf(error) >= 500) ?? errors[0];
  const undone = Object.entries(data ?? {}).flatMap(([field, value]) =>
    value === null
      ? []
      : [
          {
            message: 'This was undone, because another field of the operation failed. Repeat the operation.',
            path: [field],
            ...(failed?.extensions && { extensions: failed.extensions }),
          },
        ],
  );
  const body = JSON.stringify({ errors: [...errors, ...undone], data: null });
  return {
    status: failed ? statusOf(failed) : answer.status,
    headers: { ...answer.headers, 'content-length': String(Buffer.byteLength(body)) },
    body,
  };
}

/** Runs one field of a keyed mutation so that its error does not roll back the fields before it. */
export type InSavepoint = <Result>(work: () => Promise<Result>) => Promise<Result>;

export function inSavepointOf(unit: UnitOfWork): InSavepoint {
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const outcome = await unit.inSavepoint<{ value: Result } | { error: unknown }>(
      async () => {
        try {
          return { value: await work() };
        } catch (error) {
          unit.noteFailure(error);
          return { error };
        }
      },
      (result) => 'error' in result,
    );
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  };
}

/** Wraps every mutation field so that it runs in a savepoint of its own if the operation has a key. */
export function resolveKeyedFieldsInSavepoints(schema: GraphQLSchema): void {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const resolve = field.resolve ?? defaultFieldResolver;
    field.resolve = (source, args, context: { inSavepoint?: InSavepoint }, info): unknown =>
      context.inSavepoint
        ? context.inSavepoint(async (): Promise<unknown> => resolve(source, args, context, info))
        : resolve(source, args, context, info);
  }
}
