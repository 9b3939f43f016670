import type { Viewer } from '../auth/viewer.ts';
import { forbidden, PlatformError } from '../errors.ts';
import { declaredFields, undeclaredFields } from '../undeclared-fields.ts';
import type { RestRoute } from './route.ts';

/** Fields by which a request names the owner of a resource. */
const OWNERS = ['userId', 'authorId', 'gymId'] as const;
/** How many undeclared fields an error names at most. */
const MAX_NAMED = 20;

type CheckedRoute = Pick<RestRoute<never>, 'body' | 'query' | 'success' | 'params'>;

/**
 * Refuses a field of the body that the route does not declare, because a misspelt field would be lost without an error. Two
 * kinds of undeclared fields are ignored, so that a client can send back the answer of a GET: fields of the route's own
 * answer, which are read-only, and fields that name the caller as the owner.
 * @throws FORBIDDEN for an undeclared `userId`, `authorId` or `gymId` of another user, VALIDATION_FAILED for other fields
 */
export function checkBodyFields(route: CheckedRoute, body: unknown, viewer: Viewer): void {
  const fields = route.body ? undeclaredFields(route.body, body) : [];
  if (!route.body || fields.length === 0) return;
  const paths = fields.map((field) => field.split('.'));
  const undeclared = withoutOwners(paths, body, viewer);
  const readOnly = route.success.shape ? declaredFields(route.success.shape) : [];
  for (const name of readOnly) undeclared.delete(name);
  refuse('field', undeclared, declaredFields(route.body));
}

/** Refuses an undeclared query parameter, because an ignored filter would return other data than the client expects. */
export function checkQueryFields(
  route: CheckedRoute,
  query: Readonly<Record<string, unknown>>,
  viewer: Viewer,
): void {
  const names = Object.keys(query);
  if (names.length === 0) return;
  const declared = route.query ? declaredFields(route.query) : [];
  const undeclared = names.filter((name) => !declared.includes(name));
  const paths = undeclared.map((name) => [name]);
  refuse('query parameter', withoutOwners(paths, query, viewer), declared);
}

/**
 * The fields without those that name the caller as the owner, at any depth. The path of a field whose name contains a dot leads
 * to nothing, so such a field stays.
 * @throws FORBIDDEN if one names another user
 */
function withoutOwners(
  undeclared: readonly (readonly string[])[],
  input: unknown,
  viewer: Viewer,
): Set<string> {
  const remaining = new Set(undeclared.map((path) => path.join('.')));
  for (const path of undeclared) {
    const owner = OWNERS.find((name) => name === path.at(-1));
    const own = owner && ownIdOf(owner, viewer);
    const holder = path.slice(0, -1).reduce(valueIn, input);
    if (owner === undefined || own === undefined || !has(holder, owner)) continue;
    checkOwner(owner, holder[owner], own);
    remaining.delete(path.join('.'));
  }
  return remaining;
}

const has = (value: unknown, key: string): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key);

const valueIn = (value: unknown, key: string): unknown => (has(value, key) ? value[key] : undefined);

/** @throws FORBIDDEN for any value except null and the caller's own id */
function checkOwner(name: (typeof OWNERS)[number], value: unknown, own: string): void {
  if (value === null || value === undefined) return;
  if (typeof value !== 'string' || value.toLowerCase() !== own.toLowerCase())
    throw forbidden(
      `${name} names ${name === 'gymId' ? 'another gym' : 'another user'}; leave it out, or send your own.`,
    );
}

/**
 * The caller's own id for this field, '' for the gym of a user without one. Undefined if the field is treated as any other
 * undeclared field: for a service, a machine client or an anonymous caller, and for the gym of a SUPER_ADMIN.
 */
function ownIdOf(name: (typeof OWNERS)[number], viewer: Viewer): string | undefined {
  if (viewer.kind !== 'user') return undefined;
  if (name !== 'gymId') return viewer.userId;
  return viewer.role === 'SUPER_ADMIN' ? undefined : (viewer.gymId ?? '');
}

function refuse(
  kind: 'field' | 'query parameter',
  undeclared: ReadonlySet<string>,
  declared: readonly string[],
): void {
  if (undeclared.size === 0) return;
  const expected = declared.length > 0 ? `expected one of ${declared.join(', ')}` : 'expected none here';
  const errors = [...undeclared].slice(0, MAX_NAMED).map((name) => ({
    path: name.slice(0, 100),
    message: name.includes('.') ? `there is no such ${kind}` : `there is no such ${kind}; ${expected}`,
  }));
  const [first] = errors;
  throw new PlatformError('VALIDATION_FAILED', `${first?.path}: ${first?.message}`, { errors });
}
