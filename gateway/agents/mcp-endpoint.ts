import { fileURLToPath } from 'node:url';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';
import type { Express, RequestHandler } from 'express';
import { authenticated, optionalAuth } from '#server/auth/authenticate.ts';
import type { TokenVerifier } from '#server/auth/token-verifier.ts';
import { forbidden, PlatformError } from '#server/errors.ts';
import { jsonBody } from '#server/http/read-body.ts';
import { contextOf } from '#server/http/request-context.ts';
import { isAllowedOrigin } from '#server/http/response-headers.ts';
import type { Logger } from '#server/observability/logger.ts';
import { problemHandler } from '#server/rest/problem.ts';
import { rateLimited, type RateLimit } from '#server/rest/rate-limit.ts';
import type { RateLimitStores } from '#server/rest/rate-limit-store.ts';
import { httpContext, type GatewayContext } from '../context/gateway-context.ts';
import { checkIdempotencyKey } from '../http/middleware.ts';
import type { Graph } from '../operations/graph.ts';
import type { GatewaySettings } from '../settings.ts';
import { isOwnSupergraph } from '../supergraph/subgraph-urls.ts';
import { readToolDocuments } from './tool-documents.ts';
import { callTool, type ToolGraph } from './tool-call.ts';
import { Tools } from './tools.ts';

export interface McpOptions {
  settings: GatewaySettings;
  verifier: TokenVerifier;
  graph: Graph;
  operations: ToolGraph;
  rateLimitStores: RateLimitStores;
  log: Logger;
}

/** The operations of the platform's own graph, which are tools by default. */
const OWN_OPERATIONS = fileURLToPath(new URL('operations', import.meta.url));
/** The limit of messages. A call of a tool counts as an operation of the graph, too. */
const RATE_LIMIT: RateLimit = { name: 'mcp', perMinute: 600, by: 'caller' };
const SERVER = { name: 'fitness-platform', title: 'Fitness Platform', version: '1.0.0' };
const INSTRUCTIONS =
  "The tools act as the user whose access token the request has, with the user's rights. Times are ISO 8601; weights are in kilograms, prices in the smallest unit of the currency. Ask the user before anything that costs money, deletes something or cancels a booking. An error says what was expected; do not repeat a call unchanged unless it names retryAfterSeconds.";

/**
 * Serves the tools for agents at `/mcp` by the Model Context Protocol (Streamable HTTP), without sessions: each request is
 * answered by itself with JSON, so that every replica can answer it.
 */
export async function mountMcp(app: Express, options: McpOptions): Promise<void> {
  const { settings, verifier, graph, rateLimitStores, log } = options;
  const folder = settings.agentOperations ?? (isOwnSupergraph(settings) ? OWN_OPERATIONS : undefined);
  if (folder === undefined) return;
  const tools = new Tools(await readToolDocuments(folder), log);
  graph.onLoad(({ loaded }) => tools.load(loaded.apiSchema));
  app.use(
    '/mcp',
    knownOrigin(settings),
    authenticated(optionalAuth, verifier),
    ...(settings.rateLimits ? [rateLimited({ ...RATE_LIMIT, store: rateLimitStores(RATE_LIMIT.name) })] : []),
    onlyPost,
    jsonBody(),
    noBatch,
    checkIdempotencyKey,
    answerWith(tools, options.operations),
    problemHandler,
  );
}

/**
 * Refuses pages of foreign origins, as the protocol requires: otherwise any page could call a gateway on the machine of the
 * person who opens it.
 */
const knownOrigin =
  (settings: GatewaySettings): RequestHandler =>
  ({ headers: { origin } }, _res, next) => {
    if (origin !== undefined && !isAllowedOrigin(origin, settings))
      throw forbidden(
        `Pages of ${origin} may not call this server; CORS_ORIGINS names the origins that may.`,
      );
    next();
  };

/** Without sessions there is neither a stream to open (GET) nor a session to end (DELETE). */
const onlyPost: RequestHandler = (req, _res, next) => {
  if (req.method !== 'POST')
    throw new PlatformError('METHOD_NOT_ALLOWED', 'Send MCP messages by POST; this server has no sessions.', {
      allow: ['POST'],
    });
  next();
};

/**
 * The protocol has no batches since its version of 2025-06-18. A batch would count as one request for the rate limit,
 * although it costs as much as many.
 */
const noBatch: RequestHandler = (req, _res, next) => {
  if (Array.isArray(req.body))
    throw new PlatformError('VALIDATION_FAILED', 'Expected one JSON-RPC message, got a batch.');
  next();
};

const answerWith =
  (tools: Tools, operations: ToolGraph): RequestHandler =>
  async (req, res) => {
    const { viewer, origin } = contextOf(res);
    const context = httpContext(origin, viewer, req.headers);
    const server = serverFor(tools, operations, context);
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    res.once('close', () => {
      if (!res.writableFinished) context.client?.leave();
      void server.close();
    });
    await server.connect(transport);
    await transport.handleRequest(req, res, req.body);
  };

/** A server for one request: the SDK connects a server to one transport, and a transport without sessions answers one request. */
function serverFor(tools: Tools, operations: ToolGraph, context: GatewayContext): Server {
  const server = new Server(SERVER, { capabilities: { tools: {} }, instructions: INSTRUCTIONS });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...tools.listFor(context.viewer)] }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    const tool = tools.find(params.name);
    if (!tool) throw new McpError(ErrorCode.InvalidParams, `There is no tool "${params.name}".`);
    return callTool(tool, params.arguments ?? {}, context, operations);
  });
  return server;
}
