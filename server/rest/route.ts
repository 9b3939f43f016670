import type { Readable } from 'node:stream';
import { z } from 'zod';
import type { Scope } from '../auth/scopes.ts';
import type { Viewer } from '../auth/viewer.ts';
import type { ErrorCode } from '../errors.ts';
import type { FeatureModule } from '../features.ts';
import { wholeListQuery } from '../paging.ts';
import type { Callers } from './callers.ts';
import type { UploadedFile, UploadLimits } from './multipart.ts';
import type { ProblemExtension } from './problem-extension.ts';

/** The validated input of a handler. */
export interface RestRequest<Params, Query, Body> {
  params: Params;
  query: Query;
  body: Body;
  /** Uploaded files of a multipart route, in the order of the body. */
  files: readonly UploadedFile[];
  /** The body of a route that `consumes` a stream, or the file of its multipart body. */
  stream: Readable;
  /** `If-Match` or the body's `version`; undefined if the last write wins. Only set if the route is `versioned`. */
  expectedVersion: number | undefined;
  viewer: Viewer;
  /** The client's address. */
  address: string;
  /** `User-Agent`, cut to 256 characters; for the list of a user's sessions. */
  userAgent: string;
  /** One header of the request, by its lower-case name. */
  header: (name: string) => string | undefined;
}

export type RestMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface RestSuccess {
  status: 200 | 201 | 202 | 204;
  description: string;
  /** A second status with the same shape, which the handler chooses by a `Reply`, e.g. 200 if a repeated request has created nothing. */
  otherwise?: { status: 200; description: string };
  /** The shape of the body; absent if there is no body (204), or if `contentType` describes it. */
  shape?: z.ZodType;
  /** The handler returns a `Page` of items of `shape`, sent as an array with a `Link` to the next page. */
  page?: boolean;
  /**
   * Whether an answer with a version also contains values that change without a new version, such as counts. Its `ETag` then
   * depends on both, see `versionAndContentTag`.
   */
  variesWithinVersion?: boolean;
  /**
   * The media type of an answer that is not `application/json`, e.g. `image/svg+xml`. With a `shape`, the media type is
   * another JSON format.
   */
  contentType?: string;
  /** Whether no cache may store the answer, because it contains a token or a secret (RFC 6749, section 5.1). */
  noStore?: true;
  /** Whether the answer is a stream of `application/json`. Express serves such routes, and compresses the stream. */
  streamed?: true;
}

/** A group of operations in the API reference. */
export interface ApiTag {
  readonly name: string;
  readonly description: string;
}

/** The tag of the routes that are the same in several services, and that only services may call. */
export const INTERNAL: ApiTag = {
  name: 'Internal',
  description: 'Routes by which the services of the platform call each other.',
};

/** One REST operation: its shape, its documentation and its handler, in one place. */
interface RestDeclaration<
  Services,
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
> {
  method: RestMethod;
  /** In express's syntax: `/locations/:id/occupancy`. */
  path: string;
  /** The name of the operation in generated clients, e.g. `listLocations`; unique in the service. */
  operationId: string;
  summary: string;
  description?: string;
  /** A machine client needs one of these scopes. Default: the route refuses machine clients. Only for the documentation: the rules check the scopes. */
  scopes?: readonly Scope[];
  /**
   * `required`: a request without a token gets 401 (authenticateToken). `optional`: it is anonymous (optionalAuth).
   * `ignoreInvalidToken`: a request whose token is invalid is anonymous, too, so that a client can still call the routes that replace its token (authIgnoringInvalidToken).
   */
  auth: 'required' | 'optional' | 'ignoreInvalidToken';
  /** The callers that may use the route. Only for the documentation: the rules decide the rights. Default: every caller that `auth` admits. */
  only?: Callers;
  /** The path parameters. A malformed one is answered with 404, because no resource can have such an id. */
  params?: Params;
  query?: Query;
  /** The JSON body, or the text fields of a multipart body. */
  body?: Body;
  /** Accepts the fields of the body as `application/x-www-form-urlencoded`, too, as OAuth 2.0 requires. */
  acceptsForm?: boolean;
  /** Accepts multipart/form-data with files instead of JSON. */
  upload?: UploadLimits;
  /** Accepts a body of one of these media types as a stream, e.g. `text/csv`. With `upload`, the route also accepts a multipart file. */
  consumes?: readonly string[];
  /** Accepts `If-Match`, which other PUTs, PATCHes and DELETEs refuse. An answer's `version` is sent as `ETag` in any case. */
  versioned?: boolean;
  success: RestSuccess;
  /** Codes of errors, for the documentation, in addition to those that every route may answer. */
  errors?: readonly ErrorCode[];
  /** Additions to the problem documents, which have the members of `Problem` in any case. */
  problemExtension?: ProblemExtension;
  /** Requests per minute, if fewer than the general limit allows. Routes with the same `name` share the limit. */
  rateLimit?: { name: string; perMinute: number; by: 'caller' | 'address' };
  /** Takes its input from the request, calls a rule, and returns a plain result, a `Page`, or a `Reply` if status or headers vary. */
  handler(
    request: RestRequest<z.output<Params>, z.output<Query>, z.output<Body>>,
    services: Services,
  ): unknown;
}

/** A declared route without the types of its shapes. The mounting code and the OpenAPI document use the shapes themselves. */
export type RestRoute<Services> = Omit<
  RestDeclaration<Services, z.ZodType, z.ZodType, z.ZodType>,
  'handler'
> & {
  /** The group of the route in the API reference. */
  tag: ApiTag;
  /** The module that a gym can switch off, and with which the route is refused. Only for the documentation: `features` of the subgraph has the effect. */
  module: FeatureModule | undefined;
  // `handler` is a property and not a method, so that a door that needs services which the subgraph lacks is a type error.
  handler: (request: RestRequest<never, never, never>, services: Services) => unknown;
};

/**
 * A function that declares the routes of one door, typed with the rules that they need:
 *
 *     const route = restRoute<{ locations: Locations }>(TAGS.locations);
 *     export const locationsRest = [route({ method: 'GET', path: '/locations', operationId: 'listLocations', ... })];
 *
 * @param module the module to which `features` of the subgraph assigns these rules; none if they are always on
 */
export function restRoute<Services>(tag: ApiTag, module?: FeatureModule) {
  return <
    Params extends z.ZodType = z.ZodType,
    Query extends z.ZodType = z.ZodType,
    Body extends z.ZodType = z.ZodType,
  >(
    declaration: RestDeclaration<Services, Params, Query, Body>,
  ): RestRoute<Services> => ({
    ...declaration,
    ...(isWholeList(declaration) && { query: withWholeListQuery(declaration.query) }),
    tag,
    module,
  });
}

/** Whether a route answers with a list that is not read from the database page by page. */
export const isWholeList = ({ method, success }: Pick<RestRoute<never>, 'method' | 'success'>): boolean =>
  method === 'GET' && !success.page && success.shape instanceof z.ZodArray;

/** Adds `limit` and `cursor` to the query of a list. */
function withWholeListQuery(query: z.ZodType | undefined): z.ZodType {
  if (query === undefined) return wholeListQuery;
  if (!(query instanceof z.ZodObject))
    throw new Error('Expected the query shape of a list to be a z.object.');
  return query.safeExtend(wholeListQuery.shape);
}

/** An answer whose status, headers or body differ from the declared JSON. */
export class Reply {
  readonly status: number;
  /** A JSON value, a text, bytes or a stream; undefined if there is no body. */
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}
