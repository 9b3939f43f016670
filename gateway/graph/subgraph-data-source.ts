import type { GraphQLDataSource, GraphQLDataSourceProcessOptions } from '@apollo/gateway';
import { GraphQLError } from 'graphql';
import { Pool } from 'undici';
import { PlatformError } from '#server/errors.ts';
import { graphqlErrorOf } from '#server/graphql/errors.ts';
import type { GatewayContext } from './context.ts';

type SubgraphResponse = Awaited<ReturnType<GraphQLDataSource['process']>>;

export interface SubgraphDataSourceOptions {
  name: string;
  url: string;
  timeoutMillis: number;
  connections: number;
}

/**
 * One subgraph as @apollo/gateway's executor sees it, over pooled keep-alive connections and within a time limit.
 * A subgraph that fails costs its own fields only, with an error that tells no address and no body of it.
 */
export class SubgraphDataSource implements GraphQLDataSource<GatewayContext> {
  private readonly name: string;
  private readonly path: string;
  private readonly timeoutMillis: number;
  private readonly pool: Pool;

  constructor({ name, url, timeoutMillis, connections }: SubgraphDataSourceOptions) {
    const { origin, pathname, search } = new URL(url);
    this.name = name;
    this.path = `${pathname}${search}`;
    this.timeoutMillis = timeoutMillis;
    this.pool = new Pool(origin, { connections, keepAliveTimeout: 30_000, connect: { timeout: 2_000 } }); // 30 s, 2 s
  }

  async process({
    request,
    context,
  }: GraphQLDataSourceProcessOptions<GatewayContext>): Promise<SubgraphResponse> {
    const { query, variables, operationName, extensions } = request;
    const signal = AbortSignal.timeout(this.timeoutMillis);
    try {
      const { statusCode, body } = await this.pool.request({
        method: 'POST',
        path: this.path,
        headers: headersFor(context),
        body: JSON.stringify({ query, variables, operationName, extensions }),
        signal,
      });
      return this.answerOf(statusCode, await body.text());
    } catch (error) {
      if (error instanceof GraphQLError) throw error;
      throw signal.aborted
        ? this.failure('UPSTREAM_TIMEOUT', 'did not answer in time', error)
        : this.failure('UPSTREAM_UNAVAILABLE', 'does not answer', error);
    }
  }

  close(): Promise<void> {
    return this.pool.close();
  }

  /** A well-formed GraphQL response counts whatever its status: subgraphs say 4xx for a whole operation that they refuse. */
  private answerOf(status: number, text: string): SubgraphResponse {
    const answer = parsed(text);
    if (!answer || (status >= 500 && !answer.errors))
      throw this.failure('UPSTREAM_UNAVAILABLE', `gave no GraphQL answer (status ${status})`);
    return answer;
  }

  private failure(
    code: 'UPSTREAM_UNAVAILABLE' | 'UPSTREAM_TIMEOUT',
    what: string,
    cause?: unknown,
  ): GraphQLError {
    return graphqlErrorOf(
      new PlatformError(
        code,
        `The ${this.name} service ${what}; the other fields are not affected. Try again in a moment.`,
        { retryAfterSeconds: 1, cause },
      ),
    );
  }
}

/** The context is empty where the executor asks for itself and not for a caller. */
function headersFor(context: Partial<GatewayContext>): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'application/json',
    ...(context.authorization && { authorization: context.authorization }),
    ...(context.requestId && { 'x-request-id': context.requestId }),
    ...(context.traceparent && { traceparent: context.traceparent }),
    ...(context.address && { 'x-forwarded-for': context.address }),
    ...(context.userAgent && { 'user-agent': context.userAgent }),
  };
}

function parsed(text: string): SubgraphResponse | undefined {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return undefined;
  }
  return typeof answer === 'object' && answer !== null && ('data' in answer || 'errors' in answer)
    ? (answer as SubgraphResponse)
    : undefined;
}
