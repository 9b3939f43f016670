import { type ExecutionResult, type GraphQLError } from 'graphql';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { invalid, PlatformError } from '#server/errors.ts';
import { graphqlErrorOf } from '#server/graphql/errors.ts';
import type { GatewayContext } from '../context/gateway-context.ts';
import type { SocketGraph } from '../websocket/websocket-server.ts';
import type { Tool } from './tools.ts';

/** The checks and the execution of operations, the same as over HTTP and WebSocket. */
export type ToolGraph = Pick<SocketGraph, 'count' | 'execute'>;

/** The maximum size of a result as JSON. It is small, because a model reads the whole result. */
const MAX_RESULT_BYTES = 64 * 1024; // 64 KiB

/** Runs the operation of a tool as the caller. Mistakes of the caller are not thrown: an agent reads errors as results. */
export async function callTool(
  tool: Tool,
  given: Readonly<Record<string, unknown>>,
  context: GatewayContext,
  graph: ToolGraph,
): Promise<CallToolResult> {
  const operation = { document: tool.document, operationName: tool.name, variables: given };
  try {
    checkNames(tool, given);
    await graph.count(context);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return errorResult([graphqlErrorOf(error)]);
  }
  return resultOf(tool, await graph.execute(operation, context));
}

/**
 * Refuses unknown names: GraphQL ignores unknown variables, so an agent would not notice a misspelt name.
 * @throws VALIDATION_FAILED
 */
function checkNames(tool: Tool, given: Readonly<Record<string, unknown>>): void {
  const { properties = {} } = tool.listed.inputSchema;
  for (const name of Object.keys(given))
    if (!Object.hasOwn(properties, name))
      throw invalid(
        name,
        `expected an argument of ${tool.name}: ${Object.keys(properties).join(', ') || 'none'}`,
      );
}

function resultOf(tool: Tool, { data, errors }: ExecutionResult): CallToolResult {
  // The tool failed if the operation, or one of its root fields, has an error. Errors of deeper fields stand beside the data.
  const failed = errors?.some(({ path }) => path === undefined || path.length === 1);
  if (!data || failed) return errorResult(errors ?? [], data);
  const content = { ...data, ...(errors && { errors: errors.map(shown) }) };
  const text = JSON.stringify(content);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_RESULT_BYTES)
    return textResult(
      `${tool.name} has run, but its result has ${bytes} bytes, more than the ${MAX_RESULT_BYTES} that a tool may return. ${howToReadLess(tool)}`,
      true,
    );
  return { content: [{ type: 'text', text }], structuredContent: content };
}

function howToReadLess({ listed: { inputSchema } }: Tool): string {
  const { properties = {}, required = [] } = inputSchema;
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  return optional.length > 0
    ? `Use narrower arguments to read less: ${optional.join(', ')}.`
    : 'It has no argument to read less, so do not call it again.';
}

/** @param data what other root fields of the operation have returned */
function errorResult(errors: readonly GraphQLError[], data?: ExecutionResult['data']): CallToolResult {
  const text = JSON.stringify({ errors: errors.map(shown), ...(data && { data }) });
  const bytes = Buffer.byteLength(text);
  return textResult(bytes > MAX_RESULT_BYTES ? firstErrorOf(errors, bytes) : text, true);
}

const MAX_MESSAGE = 1_000; // characters

/** The first error without its details, and what is left out: a shortened JSON text could not be parsed. */
function firstErrorOf(errors: readonly GraphQLError[], bytes: number): string {
  const first = errors.slice(0, 1).map(({ message, path, extensions: { code } }) => ({
    message: message.slice(0, MAX_MESSAGE).toWellFormed(),
    code,
    path,
  }));
  const leftOut = `The result has ${bytes} bytes, more than the ${MAX_RESULT_BYTES} that a tool may return: this is the first of ${errors.length} errors, without details and data.`;
  return JSON.stringify({ errors: first, leftOut });
}

const textResult = (text: string, isError: boolean): CallToolResult => ({
  content: [{ type: 'text', text }],
  isError,
});

/** What an agent can act on: the message, the code, the field, and the errors of single inputs. */
const shown = ({ message, path, extensions: { code, errors, retryAfterSeconds } }: GraphQLError) => ({
  message,
  code,
  ...(path && { path }),
  ...(errors !== undefined && { errors }),
  ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
});
