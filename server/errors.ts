/**
 * Every expected failure of the platform: one table of codes, translated once at each door
 * (REST: `rest/problem.ts`, graph: `graphql/errors.ts`, socket: `socketError` below).
 * `docs/errors.md` lists the same codes; a test compares the two.
 */
export const ERRORS = {
  // all services
  UNAUTHENTICATED: { status: 401, title: 'Log in first' },
  FORBIDDEN: { status: 403, title: 'Not allowed' },
  NOT_FOUND: { status: 404, title: 'Not found' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'Method not allowed' },
  NOT_ACCEPTABLE: { status: 406, title: 'Not acceptable' },
  VALIDATION_FAILED: { status: 400, title: 'The request is not valid' },
  REQUEST_TIMEOUT: { status: 408, title: 'The request came too slowly' },
  CONFLICT: { status: 409, title: 'Conflict' },
  VERSION_CONFLICT: { status: 412, title: 'Changed by another request in the meantime' },
  IDEMPOTENCY_KEY_REUSED: { status: 409, title: 'Idempotency-Key used with another request' },
  PAYLOAD_TOO_LARGE: { status: 413, title: 'Too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'Unsupported media type' },
  RATE_LIMITED: { status: 429, title: 'Too many requests' },
  FEATURE_DISABLED: { status: 403, title: 'Switched off for this gym' },
  OPERATION_LIMIT_EXCEEDED: { status: 400, title: 'The GraphQL operation is too large' },
  OPERATION_NOT_REGISTERED: { status: 403, title: 'Only registered operations are answered here' },
  UNAUTHORIZED_FIELD_OR_TYPE: { status: 403, title: 'A field that the caller may not ask for' },
  SERVER_BUSY: { status: 503, title: 'Too much work is waiting' },
  SERVER_STOPPING: { status: 503, title: 'The server stops' },
  UPSTREAM_UNAVAILABLE: { status: 503, title: 'A service that is needed does not answer' },
  UPSTREAM_TIMEOUT: { status: 504, title: 'A service that is needed did not answer in time' },
  INSUFFICIENT_STORAGE: { status: 507, title: 'No space left' },
  CURSOR_EXPIRED: { status: 410, title: 'The cursor is too old' },
  INTERNAL: { status: 500, title: 'Internal error' },
  // subscriptions at the gateway
  SUBSCRIPTION_SCHEMA_RELOAD: { status: 410, title: 'The graph has changed' },
  SUBSCRIPTION_SLOW_CONSUMER: { status: 429, title: 'Events came faster than they were read' },
  // gym
  GYM_REQUIRED: { status: 400, title: 'A gym is needed' },
  LOCATION_FULL: { status: 409, title: 'The location is full' },
  QR_UNKNOWN: { status: 404, title: 'Unknown QR code' },
  SESSION_CLOSED: { status: 409, title: 'The class session can no longer be booked' },
  QR_EXPIRED: { status: 403, title: 'The QR code has expired' },
  QR_POLICY: { status: 403, title: 'This kind of QR code is not accepted here' },
  LOCATION_CLOSED: { status: 403, title: 'The location is closed now' },
  WRONG_GYM: { status: 403, title: 'Another gym' },
  CHALLENGE_COUNTS_ITSELF: { status: 409, title: 'The scores of this challenge are counted automatically' },
  OUT_OF_STOCK: { status: 409, title: 'Not enough pieces are left' },
  // memberships and accounts
  MEMBERSHIP_INACTIVE: { status: 403, title: 'The membership is not active' },
  INVITATION_REQUIRED: { status: 403, title: 'The gym admits invited users only' },
  ACCOUNT_SUSPENDED: { status: 403, title: 'The account is suspended' },
  // nutrition
  AI_NOT_CONFIGURED: { status: 503, title: 'No AI provider is configured' },
  AI_UNAVAILABLE: { status: 503, title: 'The AI provider does not answer' },
  AI_TIMEOUT: { status: 504, title: 'The AI provider did not answer in time' },
  AI_UNUSABLE_ANSWER: { status: 422, title: 'The AI provider gave no usable answer' },
  // wizard
  WIZARD_INCOMPLETE: { status: 409, title: 'The wizard session is not complete' },
  WIZARD_VERSION_UNSUPPORTED: { status: 409, title: "The wizard session's version is no longer supported" },
  // squad
  SQUAD_ENDED: { status: 409, title: 'The squad has ended' },
  SQUAD_PAUSED: { status: 409, title: 'The squad is paused' },
  SQUAD_LIMIT: { status: 409, title: 'Too many open squads' },
  SQUAD_FULL: { status: 409, title: 'The squad is full' },
  INVITE_CLOSED: { status: 409, title: 'The invite is no longer open' },
  UNKNOWN_EVENT: { status: 400, title: 'Unknown event' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** One error in an input. `path` is dotted, e.g. `theme.colors.primary`; empty for the whole input. */
export interface FieldError {
  path: string;
  message: string;
}

interface PlatformErrorOptions {
  /** The errors, field by field. */
  errors?: readonly FieldError[];
  /** Seconds to wait before another attempt, sent as `Retry-After`. */
  retryAfterSeconds?: number;
  /** The allowed methods, sent as `Allow` with a 405. */
  allow?: readonly string[];
  /** The same error with the names of the graph, if they differ from those of REST. */
  inGraph?: PlatformError;
  /** The original error. It is only logged. */
  cause?: unknown;
}

/**
 * The error that rules throw. `message` is shown to the caller: it says what was expected, what was received, and what to
 * do next. Any other error is logged and shown as `INTERNAL`.
 */
export class PlatformError extends Error {
  readonly code: ErrorCode;
  readonly errors: readonly FieldError[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly allow: readonly string[] | undefined;
  readonly inGraph: PlatformError | undefined;

  constructor(code: ErrorCode, message: string, options: PlatformErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = 'PlatformError';
    this.code = code;
    this.errors = options.errors;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.allow = options.allow;
    this.inGraph = options.inGraph;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  get title(): string {
    return ERRORS[this.code].title;
  }
}

export const unauthenticated = (
  message = 'Present an access token as "Authorization: Bearer <token>". The mutation "login" of the graph returns one, and so does POST /auth/login of the identity service (POST /identity/auth/login at the gateway).',
) => new PlatformError('UNAUTHENTICATED', message);
export const forbidden = (message: string) => new PlatformError('FORBIDDEN', message);
export const notFound = (what: string, id: string) =>
  new PlatformError('NOT_FOUND', `There is no ${what} "${id}" that you may see.`);
export const conflict = (message: string, options?: PlatformErrorOptions) =>
  new PlatformError('CONFLICT', message, options);

/** The error of a single field. */
export const invalid = (path: string, message: string) =>
  new PlatformError('VALIDATION_FAILED', path ? `${path}: ${message}` : message, {
    errors: [{ path, message }],
  });

/** The error of a parameter that has another name in the graph. */
export const invalidParameter = (names: { rest: string; graph: string }, message: string) =>
  new PlatformError('VALIDATION_FAILED', `${names.rest}: ${message}`, {
    errors: [{ path: names.rest, message }],
    inGraph: invalid(names.graph, message),
  });

/** The error of a write that expected another version than the stored one. */
export const versionConflict = (what: string, expected: number, stored: number) =>
  new PlatformError(
    'VERSION_CONFLICT',
    `This ${what} is at version ${stored}, the write expected version ${expected}. Read it again and repeat your change on it.`,
  );

/** @throws VERSION_CONFLICT if a write expects a version (undefined or null: any) and the stored one differs */
export function checkVersion(what: string, expected: number | null | undefined, stored: number): void {
  if (expected !== undefined && expected !== null && expected !== stored)
    throw versionConflict(what, expected, stored);
}

interface SocketError {
  code: ErrorCode;
  message: string;
  errors?: readonly FieldError[];
}

/** The translation at the socket door: the `data` of an `error` frame. */
export function socketError(error: unknown): SocketError {
  if (!(error instanceof PlatformError)) return { code: 'INTERNAL', message: INTERNAL_MESSAGE };
  return { code: error.code, message: error.message, ...(error.errors && { errors: error.errors }) };
}

export const INTERNAL_MESSAGE = 'Something went wrong on our side; it has been logged under the request id.';
