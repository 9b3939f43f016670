import { randomUUID } from 'node:crypto';
import { GraphQLError } from 'graphql';
import { Pool } from 'undici';
import { TIME_LIMIT_HEADER } from '#server/http/waiting-client.ts';
import { ERRORS, PlatformError } from '#server/errors.ts';
import { graphqlErrorOf } from '#server/graphql/errors.ts';
import { TimeLimitError, type RawAnswer } from './answer-reader.ts';
import { isJsonObject, jsonIn } from '#server/json-object.ts';
import { MemoryWrites, type Writes } from '../writes/writes.ts';
import { ClientLeftError } from '../context/waiting-client.ts';
import { SubgraphExchange, RefusedError, type SubgraphEndpoint } from './subgraph-exchange.ts';
import { SpanKind, type Attributes, type Span } from '#server/observability/tracing.ts';
import { forwardedHeaders, withTrace } from './forwarded-headers.ts';
import { callerOf, WriteGenerations } from './write-generations.ts';
import { InFlightQueries } from './in-flight-queries.ts';
import { MultipartBody } from './multipart-body.ts';
import { ServiceBreaker } from './service-breaker.ts';
import { serviceProbe } from './service-probe.ts';
import { isEscapeFree, type Subgraph, type SubgraphAnswer, type SubgraphRequest } from './subgraph.ts';
import { TimeLimit } from '../tuned-for-v8/time-limit.ts';
import { headersBy, type HeaderRules } from '../router-file/header-rules.ts';
import type { TlsOptions } from '../router-file/router.ts';

interface HttpSubgraphOptions {
  name: string;
  url: string;
  /** The time limit of a query, from waiting for a connection to the last byte. */
  timeoutMillis: number;
  /** The time limit of a mutation; six times as long for uploads. Default: that of a query. */
  mutationTimeoutMillis?: number;
  /** The maximum number of connections at once. */
  connections: number;
  /** Whether equal concurrent queries of one caller are sent once. */
  shareInFlight: boolean;
  /** The time limit of opening a connection. Default 2 s. */
  connectTimeoutMillis?: number | undefined;
  /** How often a query is sent again after a failure that may pass. Default: once. */
  retries?: number | undefined;
  /** Which of the client's headers it gets. Default: none but those of `forwardedHeaders`. */
  headerRules?: HeaderRules | undefined;
  /** Default: the certificates that Node trusts, and no client certificate. */
  tls?: TlsOptions | undefined;
  /** Sent with every request. Default: none. */
  headers?: Readonly<Record<string, string>>;
  /** Whether it supports `Idempotency-Key` with the gateway's `Idempotency-Scope` for mutations. Default: it gets no key. */
  takesKeys?: boolean;
  /** Notifies the replicas of the gateway of every mutation. Default: only this instance is notified. */
  writes?: Writes;
  /** The URL of its readiness, if it is a service of the platform. */
  readyUrl?: string | undefined;
  /** Called when its breaker opens, and when it closes again. */
  onBreaker?: (isOpen: boolean) => void;
  /** Called for every request, for metrics. */
  onDone?: SubgraphEndpoint['onDone'];
}

export const UPLOAD_TIME_FACTOR = 6;
/** The maximum number of requests that wait for each connection; further ones are refused. */
const WAITING_PER_CONNECTION = 32;
/** The maximum number of connections for retries and probes together. */
const NEW_CONNECTIONS = 16;
const NO_HEADERS: readonly string[] = [];

/** The headers and the time limit of one kind of request. */
interface RequestKind {
  /** Each name is followed by its value, which is undici's fastest form. */
  readonly headers: readonly string[];
  readonly timeLimit: TimeLimit;
}

/**
 * A subgraph over pooled keep-alive connections, with a time limit and a circuit breaker. If it fails, only its own fields
 * are null; the error contains neither its address nor its response body.
 */
export class HttpSubgraph implements Subgraph {
  readonly name: string;
  readonly url: string;
  private readonly options: HttpSubgraphOptions;
  private readonly endpoint: SubgraphEndpoint;
  private readonly attributes: Attributes;
  private readonly queries: RequestKind;
  private readonly mutations: RequestKind;
  private readonly uploads: RequestKind;
  private readonly generations = new WriteGenerations();
  private readonly inFlight = new InFlightQueries(this.generations);
  private readonly writes: Writes;
  private readonly stopListening: () => void;

  constructor(options: HttpSubgraphOptions) {
    const { origin, pathname, search, hostname, port, protocol } = new URL(options.url);
    this.options = options;
    this.name = options.name;
    this.url = options.url;
    this.attributes = {
      'http.request.method': 'POST',
      'peer.service': options.name,
      'server.address': hostname,
      'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
      'url.full': options.url,
      'url.template': pathname,
    };
    const { timeoutMillis, mutationTimeoutMillis = timeoutMillis, connections } = options;
    const ownHeaders = Object.entries({ ...options.headerRules?.set, ...options.headers }).flat();
    const kindOf = (millis: number): RequestKind => ({
      headers: [...ownHeaders, TIME_LIMIT_HEADER, String(millis)],
      timeLimit: new TimeLimit(millis),
    });
    this.queries = kindOf(timeoutMillis);
    this.mutations = kindOf(mutationTimeoutMillis);
    this.uploads = kindOf(mutationTimeoutMillis * UPLOAD_TIME_FACTOR);
    const connect = { timeout: options.connectTimeoutMillis ?? 2_000, ...options.tls }; // 2 s
    const path = `${pathname}${search}`;
    const newConnections = new Pool(origin, { connections: NEW_CONNECTIONS, pipelining: 0, connect });
    const { readyUrl } = options;
    const probe = serviceProbe({
      dispatcher: newConnections,
      graphPath: path,
      readyPath: readyUrl === undefined ? undefined : new URL(readyUrl).pathname,
    });
    this.endpoint = {
      pool: new Pool(origin, { connections, keepAliveTimeout: 30_000, connect }), // 30 s
      newConnections,
      path,
      breaker: new ServiceBreaker({ probe, onChange: options.onBreaker ?? (() => undefined) }),
      maxPending: connections * (WAITING_PER_CONNECTION + 1),
      pending: 0,
      retries: options.retries ?? 1,
      onDone: options.onDone ?? (() => undefined),
    };
    this.writes = options.writes ?? new MemoryWrites();
    this.stopListening = this.writes.onWrite((write) => this.generations.onWrite(write));
  }

  async send(request: SubgraphRequest): Promise<SubgraphAnswer> {
    let raw: RawAnswer;
    try {
      raw = await this.ask(request);
    } catch (error) {
      throw this.errorFor(error);
    }
    const answer = parsed(raw.text);
    if (answer && (raw.status < 500 || answer.errors)) return answer;
    throw this.unavailable(new Error(`no GraphQL answer (status ${raw.status}): ${raw.text.slice(0, 200)}`));
  }

  async close(): Promise<void> {
    const { breaker, pool, newConnections } = this.endpoint;
    this.stopListening();
    breaker.close();
    await Promise.all([pool.close(), newConnections.close()]);
  }

  private ask(request: SubgraphRequest): Promise<RawAnswer> {
    if (request.kind === 'mutation') return this.write(request);
    if (request.files) return this.upload(request, request.files);
    return this.read(request);
  }

  /** The request is aborted if all clients that wait for its answer leave. */
  private read(request: SubgraphRequest): Promise<RawAnswer> {
    const { context } = request;
    if (context.client?.hasLeft) return Promise.reject(new ClientLeftError());
    const exchange = this.options.shareInFlight
      ? this.inFlight.share(request, () => this.post(request))
      : this.post(request);
    exchange.addWaiter(context.client);
    return exchange.answer;
  }

  /** A mutation runs to its end even if the client leaves. The replicas are notified of its end before its answer is returned. */
  private async write(request: SubgraphRequest): Promise<RawAnswer> {
    const write = { id: randomUUID(), caller: callerOf(request.context), service: this.name };
    void this.writes.notify({ ...write, phase: 'begun' });
    const keyed = this.options.takesKeys ? request.context.keyed : undefined;
    const headers = keyed?.headersFor(this.name);
    try {
      const raw = await (request.files
        ? this.upload(request, request.files, headers)
        : this.post(request, headers).answer);
      if (raw.isReplay) keyed?.countReplay();
      return raw;
    } finally {
      await this.writes.notify({ ...write, phase: 'ended' });
    }
  }

  private post({ body, kind, context }: SubgraphRequest, further?: readonly string[]): SubgraphExchange {
    const isRead = kind === 'query';
    const { headers: own, timeLimit } = isRead ? this.queries : this.mutations;
    const span = context.span && this.spanOf(context);
    const forwarded = span ? withTrace(forwardedHeaders(context), span) : forwardedHeaders(context);
    const chosen = context.forwarded && this.headersOf(context);
    const headers = chosen ? forwarded.concat(own, chosen) : forwarded.concat(own);
    return new SubgraphExchange(this.endpoint, {
      body,
      headers: further ? headers.concat(further) : headers,
      timeLimit,
      isRead,
      kind,
      span,
    });
  }

  private async upload(
    { body, context }: SubgraphRequest,
    files: NonNullable<SubgraphRequest['files']>,
    further: readonly string[] = [],
  ): Promise<RawAnswer> {
    const boundary = `part-${randomUUID()}`;
    const span = this.spanOf(context);
    const headers = [
      ...withTrace(forwardedHeaders(context), span).slice(0, -2), // without the content type, which is the last one
      'content-type',
      `multipart/form-data; boundary=${boundary}`,
      'apollo-require-preflight',
      'true',
      ...this.uploads.headers,
      ...this.headersOf(context),
      ...further,
    ];
    const multipart = new MultipartBody(boundary, body, files);
    let broken: Error | undefined;
    multipart.stream.once('error', (error) => {
      broken = error;
    });
    const isLateByClient = (error: unknown): boolean =>
      error instanceof TimeLimitError && multipart.isClientAwaited;
    let raw: RawAnswer;
    try {
      raw = await new SubgraphExchange(this.endpoint, {
        body: multipart.stream,
        headers,
        timeLimit: this.uploads.timeLimit,
        isRead: false,
        kind: 'upload',
        span,
        isCallersFault: (error) => broken !== undefined || isLateByClient(error),
      }).answer;
    } catch (error) {
      if (isLateByClient(error)) throw slowUpload();
      throw broken && !(error instanceof TimeLimitError) ? uploadFailure(broken) : error;
    }
    // The service's own limit of slow bodies is shorter than the time limit.
    if (raw.status === ERRORS.REQUEST_TIMEOUT.status && multipart.isClientAwaited) throw slowUpload();
    return raw;
  }

  /** The client's headers that this subgraph gets by the operator's rules. */
  private headersOf({ forwarded }: SubgraphRequest['context']): readonly string[] {
    const { headerRules } = this.options;
    return forwarded && headerRules ? headersBy(headerRules, forwarded) : NO_HEADERS;
  }

  /** The span of a request to the subgraph, with the attributes of OpenTelemetry's semantic conventions for HTTP clients. */
  private spanOf({ span }: SubgraphRequest['context']): Span | undefined {
    return span?.child(`POST ${this.endpoint.path}`, { kind: SpanKind.client, attributes: this.attributes });
  }

  /** The error that clients may see. */
  private errorFor(error: unknown): GraphQLError {
    if (error instanceof GraphQLError) return error;
    if (error instanceof TimeLimitError)
      return this.failure('UPSTREAM_TIMEOUT', 'did not answer in time', { cause: error });
    if (error instanceof ClientLeftError)
      return this.failure('UPSTREAM_UNAVAILABLE', 'was not waited for', { cause: error });
    if (!(error instanceof RefusedError)) return this.unavailable(error);
    const retryAfterSeconds = Math.ceil(error.retryAfterMillis / 1000);
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

/** The time limit ended while the subgraph waited for the client. */
const slowUpload = (): GraphQLError =>
  graphqlErrorOf(
    new PlatformError(
      'REQUEST_TIMEOUT',
      'The rest of the file has not arrived in time; send the request again over a faster connection.',
    ),
  );

/** The client's file ended early or is too large, so the subgraph did not fail. */
function uploadFailure(error: unknown): GraphQLError {
  const tooLarge = error instanceof Error && 'status' in error && error.status === 413;
  return graphqlErrorOf(
    tooLarge
      ? new PlatformError('PAYLOAD_TOO_LARGE', 'The file is larger than uploads may be; send a smaller one.')
      : new PlatformError('VALIDATION_FAILED', 'The upload ended before it was complete; send it again.'),
  );
}

function parsed(text: string): SubgraphAnswer | undefined {
  const answer = jsonIn(text);
  if (!isAnswer(answer)) return undefined;
  answer.hasNoEscapes = isEscapeFree(text);
  return answer;
}

/** `{data?: object | null, errors?: [...]}` with at least one of the two (GraphQL specification, 7.1 response format). */
function isAnswer(value: unknown): value is SubgraphAnswer {
  if (!isJsonObject(value) || !('data' in value || 'errors' in value)) return false;
  const { data, errors } = value;
  return (
    (data === undefined || data === null || isJsonObject(data)) &&
    (errors === undefined || (Array.isArray(errors) && errors.every(isJsonObject)))
  );
}
