import { randomUUID } from 'node:crypto';
import { GraphQLError } from 'graphql';
import { Pool } from 'undici';
import { CircuitBreaker } from '#server/circuit-breaker.ts';
import { TIME_LIMIT_HEADER } from '#server/http/waiting-client.ts';
import { PlatformError } from '#server/errors.ts';
import { graphqlErrorOf } from '#server/graphql/errors.ts';
import { TimeLimitError, type RawAnswer } from './answer-reader.ts';
import { MemoryWrites, type Writes } from '../writes/writes.ts';
import { ClientLeftError } from './client.ts';
import { Exchange, RefusedError, type Line, type RequestOutcome } from './exchange.ts';
import { forwardedHeaders } from './forwarded-headers.ts';
import { callerOf, Generations } from './generations.ts';
import { InFlight } from './in-flight.ts';
import { multipartBody } from './multipart-body.ts';
import { isPlainJson, type Subgraph, type SubgraphAnswer, type SubgraphRequest } from './subgraph.ts';
import { TimeLimit } from './time-limit.ts';

export interface HttpSubgraphOptions {
  name: string;
  url: string;
  /** For one request, from asking for a connection to the last byte; uploads may take six times as long. */
  timeoutMillis: number;
  /** Most connections at once. */
  connections: number;
  /** Whether equal queries of one caller under way at the same time are sent once. */
  shareInFlight: boolean;
  /** Sent with every request. Default: none. */
  headers?: Readonly<Record<string, string>>;
  /** Whether it knows `Idempotency-Key` for mutations, with the scope that the gateway says. Default: it gets none. */
  takesKeys?: boolean;
  /** Told of every mutation. Absent: this is the only gateway, and nothing else wants to know. */
  writes?: Writes;
  /** Called for every request: for metrics. */
  onDone?: (outcome: RequestOutcome) => void;
}

const UPLOAD_TIME_FACTOR = 6;
/** Requests that wait for each connection before more are refused. */
const WAITING_A_CONNECTION = 32;
/** After so many failures in a row a subgraph is left in peace for 5 s, then asked once on trial. */
const BREAKER = { failuresToOpen: 10, openMillis: 5_000 };

/**
 * One subgraph over pooled keep-alive connections and within a time limit. One that fails costs its own fields only,
 * with an error that tells no address and no body of it; one that goes on failing is not waited for.
 */
export class HttpSubgraph implements Subgraph {
  readonly name: string;
  readonly url: string;
  private readonly options: HttpSubgraphOptions;
  private readonly line: Line;
  /** Names and values in turn, as undici takes headers fastest. */
  private readonly headers: readonly string[];
  private readonly uploadHeaders: readonly string[];
  private readonly timeLimit: TimeLimit;
  private readonly uploadTimeLimit: TimeLimit;
  private readonly generations = new Generations();
  private readonly inFlight = new InFlight(this.generations);
  private readonly writes: Writes;
  private readonly stopHearing: () => void;

  constructor(options: HttpSubgraphOptions) {
    const { origin, pathname, search } = new URL(options.url);
    this.options = options;
    this.name = options.name;
    this.url = options.url;
    const uploadMillis = options.timeoutMillis * UPLOAD_TIME_FACTOR;
    const ownHeaders = Object.entries(options.headers ?? {}).flat();
    this.headers = [...ownHeaders, TIME_LIMIT_HEADER, String(options.timeoutMillis)];
    this.uploadHeaders = [...ownHeaders, TIME_LIMIT_HEADER, String(uploadMillis)];
    this.timeLimit = new TimeLimit(options.timeoutMillis);
    this.uploadTimeLimit = new TimeLimit(uploadMillis);
    this.line = {
      pool: new Pool(origin, {
        connections: options.connections,
        keepAliveTimeout: 30_000, // 30 s
        connect: { timeout: 2_000 }, // 2 s
      }),
      path: `${pathname}${search}`,
      breaker: new CircuitBreaker(BREAKER),
      maxUnderWay: options.connections * (WAITING_A_CONNECTION + 1),
      underWay: 0,
      onDone: options.onDone ?? (() => undefined),
    };
    this.writes = options.writes ?? new MemoryWrites();
    this.stopHearing = this.writes.onWrite((write) => this.generations.hear(write));
  }

  async send(request: SubgraphRequest): Promise<SubgraphAnswer> {
    let raw: RawAnswer;
    try {
      raw = await this.ask(request);
    } catch (error) {
      throw this.told(error);
    }
    const answer = parsed(raw.text);
    if (answer && (raw.status < 500 || answer.errors)) return answer;
    throw this.unavailable(new Error(`no GraphQL answer (status ${raw.status}): ${raw.text.slice(0, 200)}`));
  }

  close(): Promise<void> {
    this.stopHearing();
    return this.line.pool.close();
  }

  private ask(request: SubgraphRequest): Promise<RawAnswer> {
    if (request.kind === 'mutation') return this.write(request);
    if (request.files) return this.upload(request, request.files);
    return this.read(request);
  }

  /** Ends early if all who wait for it leave. */
  private read(request: SubgraphRequest): Promise<RawAnswer> {
    const { body, context } = request;
    if (context.client?.hasLeft) return Promise.reject(new ClientLeftError());
    const begin = () => this.post(request);
    const exchange = this.options.shareInFlight ? this.inFlight.share(body, context, begin) : begin();
    exchange.isWantedBy(context.client);
    return exchange.answer;
  }

  /** Runs to its end whether the client waits or not; its end is published before its answer is given. */
  private async write(request: SubgraphRequest): Promise<RawAnswer> {
    const write = { caller: callerOf(request.context), service: this.name };
    void this.writes.tell({ ...write, phase: 'begun' });
    const keyed = this.options.takesKeys ? request.context.keyed : undefined;
    const headers = keyed?.headersFor(this.name);
    try {
      const raw = await (request.files
        ? this.upload(request, request.files, headers)
        : this.post(request, headers).answer);
      if (raw.isReplay) keyed?.wasReplayed();
      return raw;
    } finally {
      await this.writes.tell({ ...write, phase: 'ended' });
    }
  }

  private post({ body, kind, context }: SubgraphRequest, further: readonly string[] = []): Exchange {
    return new Exchange(this.line, {
      body,
      headers: [...forwardedHeaders(context), ...this.headers, ...further],
      timeLimit: this.timeLimit,
      twice: kind === 'query',
    });
  }

  private async upload(
    { body, context }: SubgraphRequest,
    files: NonNullable<SubgraphRequest['files']>,
    further: readonly string[] = [],
  ): Promise<RawAnswer> {
    const boundary = `part-${randomUUID()}`;
    const headers = [
      ...forwardedHeaders(context).slice(0, -2), // all but the content type
      'content-type',
      `multipart/form-data; boundary=${boundary}`,
      'apollo-require-preflight',
      'true',
      ...this.uploadHeaders,
      ...further,
    ];
    const stream = multipartBody(boundary, body, files);
    let broken: Error | undefined;
    stream.once('error', (error) => {
      broken = error;
    });
    try {
      return await new Exchange(this.line, {
        body: stream,
        headers,
        timeLimit: this.uploadTimeLimit,
        twice: false,
        isCallersFault: () => broken !== undefined,
      }).answer;
    } catch (error) {
      throw broken ? uploadFailure(broken) : error;
    }
  }

  /** What went wrong, as it may be told. */
  private told(error: unknown): GraphQLError {
    if (error instanceof GraphQLError) return error;
    if (error instanceof TimeLimitError)
      return this.failure('UPSTREAM_TIMEOUT', 'did not answer in time', { cause: error });
    if (error instanceof ClientLeftError)
      return this.failure('UPSTREAM_UNAVAILABLE', 'was not waited for', { cause: error });
    if (!(error instanceof RefusedError)) return this.unavailable(error);
    const retryAfterSeconds = Math.ceil(error.waitMillis / 1000);
    return this.failure('UPSTREAM_UNAVAILABLE', 'does not answer', { retryAfterSeconds });
  }

  private unavailable(cause: unknown): GraphQLError {
    return this.failure('UPSTREAM_UNAVAILABLE', 'does not answer', { cause });
  }

  private failure(
    code: 'UPSTREAM_UNAVAILABLE' | 'UPSTREAM_TIMEOUT',
    what: string,
    { cause, retryAfterSeconds = 1 }: { cause?: unknown; retryAfterSeconds?: number },
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

function parsed(text: string): SubgraphAnswer | undefined {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isAnswer(answer)) return undefined;
  answer.isPlain = isPlainJson(text);
  return answer;
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
