import { ApolloServer } from '@apollo/server';
import { buildSubgraphSchema } from '@apollo/subgraph';
import type { ErrorRequestHandler, Express, RequestHandler, Response } from 'express';
import { type GraphQLSchema, Kind, parse } from 'graphql';
import processRequest from 'graphql-upload/processRequest.mjs';
import { authenticated, optionalAuth } from '../auth/authenticate.ts';
import type { TokenVerifier } from '../auth/token-verifier.ts';
import type { Viewer } from '../auth/viewer.ts';
import { PlatformError } from '../errors.ts';
import { jsonBody } from '../http/read-body.ts';
import { contextOf } from '../http/request-context.ts';
import type { OperationClass } from '../observability/operation-class.ts';
import type { Logger } from '../observability/logger.ts';
import type { IdempotencyStore, StoredAnswer } from '../rest/idempotency.ts';
import { MAX_UPLOAD_BYTES } from '../rest/multipart.ts';
import { platformErrorOf } from '../rest/problem.ts';
import type { Audience } from '../audience.ts';
import { answerOf } from './apollo-answer.ts';
import { apolloOptions, quietPlugins } from './apollo-options.ts';
import { documentStore } from './document-store.ts';
import { formatGraphqlError, refusalBody } from './errors.ts';
import { classOf, factsOf } from './graph-facts.ts';
import type { KnownQueries } from './fast-path/known-queries.ts';
import { answerOnce, keyedMutation, type InSavepoint } from './keyed-mutations.ts';
import { acceptableAnswer } from './media-types.ts';
import type { OperationChecks } from './operation-checks.ts';
import { scalars } from './scalars.ts';

/** The context of a resolver: the rules of its service by name, and the caller. */
export type GraphContext<Services> = Services & {
  readonly viewer: Viewer;
  /** The client's address, for rate limits. */
  readonly address: string;
  /** The audience for which a gateway subscribes, if it does. */
  readonly audience?: Audience;
  /** Runs a field so that it can be rolled back alone; set for a mutation with an `Idempotency-Key`. */
  readonly inSavepoint?: InSavepoint;
};

/** The resolvers of one aggregate; a subgraph merges them type by type. */
export type ResolverMap = Record<string, object>;

interface GraphEndpointOptions<Services extends object> {
  schema: GraphQLSchema;
  verifier: TokenVerifier;
  log: Logger;
  checks: OperationChecks;
  rateLimiter: RequestHandler | undefined;
  /** Gets each query that was executed, for the fast path. */
  queries: KnownQueries;
  /**
   * Returns what one request needs: its context, the store for its `Idempotency-Key`, and a function that runs a field so
   * that it can be rolled back alone (undefined if the service has no database).
   */
  begin(res: Response): {
    context: GraphContext<Services>;
    idempotency: IdempotencyStore;
    inSavepoint: InSavepoint | undefined;
  };
}

/** The executable schema of a subgraph, from its SDL, the resolvers of its graph doors and the platform's scalars. */
export function subgraphSchema(sdl: string, maps: readonly ResolverMap[]): GraphQLSchema {
  const typeDefs = parse(sdl);
  const declared = new Set(
    typeDefs.definitions.flatMap((definition) =>
      definition.kind === Kind.SCALAR_TYPE_DEFINITION ? [definition.name.value] : [],
    ),
  );
  const resolvers: Record<string, object> = Object.fromEntries(
    Object.entries(scalars).filter(([name]) => declared.has(name)),
  );
  for (const map of maps)
    for (const [type, fields] of Object.entries(map)) resolvers[type] = { ...resolvers[type], ...fields };
  // TypeScript has checked each map against the types generated from this SDL.
  return buildSubgraphSchema({ typeDefs, resolvers: resolvers as never });
}

/** Serves the schema at `POST /graphql` (JSON, and multipart requests for uploads). Returns the function that stops it. */
export async function mountGraphEndpoint<Services extends object>(
  app: Express,
  options: GraphEndpointOptions<Services>,
): Promise<() => Promise<void>> {
  const { checks, log } = options;
  const classes = new WeakMap<object, OperationClass>();
  const server = new ApolloServer<GraphContext<Services>>({
    schema: options.schema,
    ...apolloOptions(log),
    documentStore: documentStore(),
    formatError: (formatted, error) => formatGraphqlError(formatted, error, log),
    plugins: [
      ...quietPlugins<GraphContext<Services>>(),
      ...checks.plugins<GraphContext<Services>>(),
      {
        requestDidStart: async () => ({
          didResolveOperation: async ({ operation, contextValue }) => {
            if (operation) classes.set(contextValue, classOf(operation));
          },
        }),
      },
      options.queries.plugin(),
    ],
  });
  await server.start();
  app.use(
    '/graphql',
    authenticated(optionalAuth, options.verifier),
    ...(options.rateLimiter ? [options.rateLimiter] : []),
    acceptableAnswer,
    multipartBody,
    jsonBody(),
    checkedText(checks),
    answerBy(server, options.begin, classes),
    graphqlErrorHandler,
  );
  return () => server.stop();
}

/** Refuses an operation whose text is too large before anything parses it. */
const checkedText =
  (checks: OperationChecks): RequestHandler =>
  (req, res, next) => {
    // A GET has its query in the URL.
    const query: unknown = (req.body as { query?: unknown } | undefined)?.query ?? req.query.query;
    if (typeof query === 'string') checks.checkText(query, contextOf(res).viewer);
    req.body ??= {};
    next();
  };

function answerBy<Services extends object>(
  server: ApolloServer<GraphContext<Services>>,
  begin: GraphEndpointOptions<Services>['begin'],
  classes: WeakMap<object, OperationClass>,
): RequestHandler {
  return async (req, res) => {
    const { context, idempotency, inSavepoint } = begin(res);
    const keyed = await keyedMutation(req.headers, req.body, contextOf(res));
    const ofOperation = keyed && inSavepoint ? { ...context, inSavepoint } : context;
    const execute = async () => {
      const answer = await answerOf(server, req, ofOperation);
      contextOf(res).graph = factsOf(classes.get(ofOperation) ?? 'read', answer.body);
      return answer;
    };
    if (!keyed) return send(res, await execute());
    const { answer, replayed } = await answerOnce(idempotency, keyed, execute);
    if (replayed) res.setHeader('Idempotency-Replayed', 'true');
    send(res, answer);
  };
}

function send(res: Response, { status, headers, body }: StoredAnswer): void {
  res.statusCode = status;
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  res.end(body);
}

/**
 * Reads GraphQL multipart requests into bounded memory. A request that a browser could send without a preflight is refused
 * before its body is read, because another site's form could send it (CSRF).
 */
const multipartBody: RequestHandler = async (req, res, next) => {
  if (!req.is('multipart/form-data')) return next();
  if (!req.get('apollo-require-preflight') && !req.get('x-apollo-operation-name'))
    throw new PlatformError(
      'VALIDATION_FAILED',
      'A multipart request needs the header Apollo-Require-Preflight: true.',
    );
  req.body = await processRequest(req, res, {
    maxFileSize: MAX_UPLOAD_BYTES,
    maxFiles: 10,
    maxFieldSize: 1_000_000,
  });
  next();
};

/** Answers errors that are thrown before the execution, in the form of GraphQL over HTTP. */
export const graphqlErrorHandler: ErrorRequestHandler = (thrown, _req, res, next) => {
  const error = platformErrorOf(thrown);
  if (error.status >= 500) contextOf(res).log.error({ err: error.cause ?? thrown }, error.message);
  if (res.headersSent) return next(thrown);
  if (error.retryAfterSeconds !== undefined)
    res.setHeader('Retry-After', String(Math.ceil(error.retryAfterSeconds)));
  if (error.status === 401) res.setHeader('WWW-Authenticate', 'Bearer');
  res.status(error.status).json(refusalBody(error));
};
