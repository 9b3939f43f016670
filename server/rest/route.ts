import type { Readable } from 'node:stream';
import { z } from 'zod';
import type { Viewer } from '../auth/viewer.ts';
import type { ErrorCode } from '../errors.ts';
import { wholeListQuery } from '../paging.ts';
import type { UploadedFile, UploadLimits } from './multipart.ts';

/** What a handler gets: everything validated, nothing of HTTP. */
export interface RestRequest<Params, Query, Body> {
  params: Params;
  query: Query;
  body: Body;
  /** Uploaded files of a multipart route, in the order in which they came. */
  files: readonly UploadedFile[];
  /** The body as it comes in, of a route that `consumes` a stream; of a multipart one its file. */
  stream: Readable;
  /** `If-Match` or the body's `version`; undefined: last write wins. Only where the route is `versioned`. */
  expectedVersion: number | undefined;
  viewer: Viewer;
  /** The client's address. */
  address: string;
  /** `User-Agent`, cut to 256 characters; for lists of log-ins. */
  userAgent: string;
  /** One header of the request, by its lower-case name. */
  header: (name: string) => string | undefined;
}

export type RestMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface RestSuccess {
  status: 200 | 201 | 202 | 204;
  description: string;
  /** Absent: no body (204), or a body of `contentType`. */
  shape?: z.ZodType;
  /** The handler returns a `Page` of items of `shape`: sent as an array with a `Link` to the next page. */
  page?: boolean;
  /**
   * The answer has a version and also holds what changes without a new one, such as counts: its `ETag` is then made of
   * both, see `versionAndContentTag`.
   */
  changesBetweenVersions?: boolean;
  /** The media type of an answer that is not `application/json`, e.g. `image/svg+xml`. With a `shape` it is a form of JSON. */
  contentType?: string;
}

/** One REST operation: its shape, its documentation and its handler, in one place. */
export interface RestDeclaration<
  Services,
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
> {
  method: RestMethod;
  /** As express reads it, literally: `/locations/:id/occupancy`. */
  path: string;
  summary: string;
  description?: string;
  /**
   * `required`: 401 without a token (authenticateToken). `optional`: works without (optionalAuth).
   * `forgiving`: a token that does not hold counts as none: for the routes by which one gets a new one.
   */
  auth: 'required' | 'optional' | 'forgiving';
  /** Path parameters; one that does not fit is 404: there is no such thing. */
  params?: Params;
  query?: Query;
  /** JSON body, or the text fields of a multipart one. */
  body?: Body;
  /** Takes multipart/form-data with files instead of JSON. */
  upload?: UploadLimits;
  /** Takes a body of this media type as a stream, e.g. `text/csv`; with `upload` beside it, a multipart file as well. */
  consumes?: string;
  /** Takes `If-Match`, which other PUTs, PATCHes and DELETEs refuse; the answer's `version` is sent as `ETag` in any case. */
  versioned?: boolean;
  success: RestSuccess;
  /** Codes beyond those that every route may answer; for the documentation. */
  errors?: readonly ErrorCode[];
  /** Requests a minute from one address, where it is less than the general limit. `name` groups routes that share it. */
  rateLimit?: { name: string; perMinute: number; by: 'caller' | 'address' };
  /** Unpack, call, return: a plain result, a `Page`, or a `Reply` where status or headers vary. */
  handler(
    request: RestRequest<z.output<Params>, z.output<Query>, z.output<Body>>,
    services: Services,
  ): unknown;
}

/** A declared route; its shapes are for the mounting code and the OpenAPI document. */
export type RestRoute<Services> = Omit<
  RestDeclaration<Services, z.ZodType, z.ZodType, z.ZodType>,
  'handler'
> & {
  // A property, not a method: a door that needs fewer services fits where there are more.
  handler: (request: RestRequest<never, never, never>, services: Services) => unknown;
};

/**
 * The declaring function of one door, bound to the rules that it needs:
 *
 *     const route = restRoute<{ locations: Locations }>();
 *     export const locationsRest = [route({ method: 'GET', path: '/locations', ... })];
 */
export function restRoute<Services>() {
  return <
    Params extends z.ZodType = z.ZodType,
    Query extends z.ZodType = z.ZodType,
    Body extends z.ZodType = z.ZodType,
  >(
    declaration: RestDeclaration<Services, Params, Query, Body>,
  ): RestRoute<Services> =>
    isWholeList(declaration) ? { ...declaration, query: withWholeListQuery(declaration.query) } : declaration;
}

/** Whether a route answers a list that is not read page by page from the database. */
export const isWholeList = ({ method, success }: Pick<RestRoute<never>, 'method' | 'success'>): boolean =>
  method === 'GET' && !success.page && success.shape instanceof z.ZodArray;

/** Every list takes `limit` and `cursor`. */
function withWholeListQuery(query: z.ZodType | undefined): z.ZodType {
  if (query === undefined) return wholeListQuery;
  if (!(query instanceof z.ZodObject)) throw new Error('the query of a list is an object');
  return query.safeExtend(wholeListQuery.shape);
}

/** An answer whose status, headers or body are not the declared JSON. */
export class Reply {
  readonly status: number;
  /** JSON value, bytes or a stream; undefined: none. */
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}
