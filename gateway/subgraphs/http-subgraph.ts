import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { GraphQLError } from 'graphql';
import { Pool } from 'undici';
import { CircuitBreaker } from '#server/circuit-breaker.ts';
import { PlatformError } from '#server/errors.ts';
import { graphqlErrorOf } from '#server/graphql/errors.ts';
import { AnswerReader, TimeLimitError, type RawAnswer } from './answer-reader.ts';
import { forwardedHeaders } from './forwarded-headers.ts';
import { InFlight } from './in-flight.ts';
import { multipartBody } from './multipart-body.ts';
import type { Subgraph, SubgraphAnswer, SubgraphRequest } from './subgraph.ts';

export interface HttpSubgraphOptions {
  name: string;
  url: string;
  /** For one request, from asking for a connection to the last byte; uploads may take six times as long. */
  timeoutMillis: number;
  /** Most connections at once. */
  connections: number;
  /** Whether equal queries of one caller under way at the same time are sent once. */
  shareInFlight: boolean;
  /** Told of every request: for metrics. */
  onDone?: (subgraph: string, outcome: RequestOutcome) => void;
}

/** `refused`: not sent, as the breaker is open. */
export type RequestOutcome = 'answered' | 'failed' | 'late' | 'retried' | 'refused';

const MAX_ANSWER_BYTES = 64 * 1024 * 1024; // 64 MiB
const UPLOAD_TIME_FACTOR = 6;
/** After so many failures in a row a subgraph is left in peace for 5 s, then asked once on trial. */
const BREAKER = { failuresToOpen: 10, openMillis: 5_000 };
/** Answers of proxies and of servers that are starting or stopping: the same query may go well a moment later. */
const PASSING = new Set([502, 503, 504]);

/**
 * One subgraph over pooled keep-alive connections and within a time limit. One that fails costs its own fields only,
 * with an error that tells no address and no body of it; one that goes on failing is not waited for.
 */
export class HttpSubgraph implements Subgraph {
  readonly name: string;
  readonly url: string;
  private readonly options: HttpSubgraphOptions;
  private readonly path: string;
  private readonly pool: Pool;
  private readonly breaker = new CircuitBreaker(BREAKER);
  private readonly inFlight = new InFlight();

  constructor(options: HttpSubgraphOptions) {
    const { origin, pathname, search } = new URL(options.url);
    this.options = options;
    this.name = options.name;
    this.url = options.url;
    this.path = `${pathname}${search}`;
    this.pool = new Pool(origin, {
      connections: options.connections,
      keepAliveTimeout: 30_000, // 30 s
      connect: { timeout: 2_000 }, // 2 s
    });
  }

  async send(request: SubgraphRequest): Promise<SubgraphAnswer> {
    const { status, text } = request.files ? await this.upload(request) : await this.ask(request);
    const answer = parsed(text);
    if (answer && (status < 500 || answer.errors)) return answer;
    throw this.unavailable(new Error(`no GraphQL answer (status ${status}): ${text.slice(0, 200)}`));
  }

  close(): Promise<void> {
    return this.pool.close();
  }

  private ask({ body, kind, context }: SubgraphRequest): Promise<RawAnswer> {
    if (kind === 'mutation') return this.guarded(() => this.dispatch(body, forwardedHeaders(context)));
    const send = () => this.guarded(() => this.dispatchTwice(body, forwardedHeaders(context)));
    return this.options.shareInFlight ? this.inFlight.send(body, context, send) : send();
  }

  /** Keeps the count of failures, and refuses at once while there have been too many. */
  private async guarded(
    send: () => Promise<RawAnswer>,
    isCallersFault: () => boolean = () => false,
  ): Promise<RawAnswer> {
    const waitMillis = this.breaker.waitMillis();
    if (waitMillis > 0) {
      this.options.onDone?.(this.name, 'refused');
      throw this.unavailable(undefined, Math.ceil(waitMillis / 1000));
    }
    try {
      const answer = await send();
      if (isFailure(answer)) this.breaker.failed();
      else this.breaker.succeeded();
      this.options.onDone?.(this.name, 'answered');
      return answer;
    } catch (error) {
      if (isCallersFault()) this.breaker.succeeded();
      else this.breaker.failed();
      const late = error instanceof TimeLimitError;
      this.options.onDone?.(this.name, late ? 'late' : 'failed');
      throw late ? this.late(error) : this.unavailable(error);
    }
  }

  /** A query whose connection broke, or which met a server that is just restarting, is sent once more. */
  private async dispatchTwice(body: string, headers: string[]): Promise<RawAnswer> {
    try {
      const answer = await this.dispatch(body, headers);
      if (!isFailure(answer)) return answer;
    } catch (error) {
      if (error instanceof TimeLimitError) throw error;
    }
    this.options.onDone?.(this.name, 'retried');
    return this.dispatch(body, headers);
  }

  private dispatch(
    body: string | Readable,
    headers: string[],
    timeoutMillis = this.options.timeoutMillis,
  ): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      this.pool.dispatch(
        { path: this.path, method: 'POST', headers, body },
        new AnswerReader({ timeoutMillis, maxBytes: MAX_ANSWER_BYTES }, resolve, reject),
      );
    });
  }

  private async upload({ body, context, files }: SubgraphRequest): Promise<RawAnswer> {
    const boundary = `part-${randomUUID()}`;
    const headers = [
      ...forwardedHeaders(context).slice(0, -2), // all but the content type
      'content-type',
      `multipart/form-data; boundary=${boundary}`,
      'apollo-require-preflight',
      'true',
    ];
    const stream = multipartBody(boundary, body, files ?? new Map());
    let broken: Error | undefined;
    stream.once('error', (error) => {
      broken = error;
    });
    const timeoutMillis = this.options.timeoutMillis * UPLOAD_TIME_FACTOR;
    try {
      return await this.guarded(
        () => this.dispatch(stream, headers, timeoutMillis),
        () => broken !== undefined,
      );
    } catch (error) {
      throw broken ? uploadFailure(broken) : error;
    }
  }

  private late(cause: unknown): GraphQLError {
    return this.failure('UPSTREAM_TIMEOUT', 'did not answer in time', cause);
  }

  private unavailable(cause: unknown, retryAfterSeconds?: number): GraphQLError {
    return this.failure('UPSTREAM_UNAVAILABLE', 'does not answer', cause, retryAfterSeconds);
  }

  private failure(
    code: 'UPSTREAM_UNAVAILABLE' | 'UPSTREAM_TIMEOUT',
    what: string,
    cause: unknown,
    retryAfterSeconds = 1,
  ): GraphQLError {
    return graphqlErrorOf(
      new PlatformError(
        code,
        `The ${this.name} service ${what}; the other fields are not affected. Try again in a moment.`,
        { retryAfterSeconds, cause },
      ),
    );
  }
}

/** The client's file ended early or is too long: her error, not the subgraph's. */
function uploadFailure(error: unknown): GraphQLError {
  const tooLarge = error instanceof Error && 'status' in error && error.status === 413;
  return graphqlErrorOf(
    tooLarge
      ? new PlatformError('PAYLOAD_TOO_LARGE', 'The file is larger than uploads may be; send a smaller one.')
      : new PlatformError('VALIDATION_FAILED', 'The upload was broken off; send it again.'),
  );
}

const isFailure = ({ status, text }: RawAnswer): boolean =>
  PASSING.has(status) && !text.startsWith('{"errors"') && !text.startsWith('{"data"');

function parsed(text: string): SubgraphAnswer | undefined {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isAnswer(answer) ? answer : undefined;
}

/** `{data?: object | null, errors?: [...]}` with one of the two (GraphQL specification, 7.1 response format). */
function isAnswer(value: unknown): value is SubgraphAnswer {
  if (!isObject(value) || !('data' in value || 'errors' in value)) return false;
  const { data, errors } = value;
  return (
    (data === undefined || data === null || isObject(data)) &&
    (errors === undefined || (Array.isArray(errors) && errors.every(isObject)))
  );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
