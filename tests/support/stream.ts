import { once } from 'node:events';
import http from 'node:http';
import type { FormattedExecutionResult, GraphQLFormattedError } from 'graphql';
import type { Untyped } from './platform/http-client.ts';

/** The protocols in which a subscription is streamed over HTTP, by the `Accept` of their clients. */
export const STREAM_PROTOCOLS = {
  sse: 'text/event-stream',
  multipart: 'multipart/mixed;boundary=graphql;subscriptionSpec=1.0',
} as const;
export type StreamProtocol = keyof typeof STREAM_PROTOCOLS;

type Result = FormattedExecutionResult<Untyped>;

/** One message of either protocol. `end` is the end of the body; errors outside of a result are `failed`. */
export type StreamMessage =
  | { kind: 'result'; result: Result }
  | { kind: 'failed'; errors: readonly GraphQLFormattedError[] }
  | { kind: 'heartbeat' | 'complete' | 'end' | 'broken' };

export interface OpenStream {
  readonly response: http.IncomingMessage;
  readonly status: number;
  /** Waits for the next message. */
  message(): Promise<StreamMessage>;
  /** Waits for the next message that is not a heartbeat. */
  next(): Promise<StreamMessage>;
  /** Waits for the next result. */
  result(): Promise<Result>;
  /** The body of a response that is not a stream. */
  json(): Promise<Untyped>;
  close(): void;
}

interface StreamRequest {
  /** Absent if the operation is sent by its hash only. */
  query?: string;
  variables?: Record<string, unknown>;
  operationName?: string | undefined;
  extensions?: Record<string, unknown>;
  token?: string | undefined;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
}

/** Sends the operation over a connection of its own. Resolves when the head of the response has arrived. */
export async function openStream(
  gatewayUrl: string,
  protocol: StreamProtocol,
  { token, method = 'POST', headers = {}, ...operation }: StreamRequest,
): Promise<OpenStream> {
  const url = new URL('/graphql', gatewayUrl);
  if (method === 'GET')
    for (const [name, value] of Object.entries(operation))
      if (value !== undefined)
        url.searchParams.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  const request = http.request(url, {
    method,
    agent: false,
    headers: {
      accept: STREAM_PROTOCOLS[protocol],
      ...(method === 'POST' && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
      ...headers,
    },
  });
  request.end(method === 'POST' ? JSON.stringify(operation) : undefined);
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  request.on('error', () => undefined);
  return streamOf(response, protocol);
}

function streamOf(response: http.IncomingMessage, protocol: StreamProtocol): OpenStream {
  const messages = messagesIn(response, protocol);
  const message = async (): Promise<StreamMessage> => {
    const { value, done } = await messages.next();
    return done ? { kind: 'end' } : value;
  };
  const next = async (): Promise<StreamMessage> => {
    for (;;) {
      const received = await message();
      if (received.kind !== 'heartbeat') return received;
    }
  };
  return {
    response,
    status: response.statusCode ?? 0,
    message,
    next,
    async result() {
      const received = await next();
      if (received.kind !== 'result') throw new Error(`Expected a result, got ${JSON.stringify(received)}.`);
      return received.result;
    },
    async json() {
      return JSON.parse(await textOf(response));
    },
    close: () => response.destroy(),
  };
}

async function textOf(response: http.IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += String(chunk);
  return text;
}

async function* messagesIn(
  response: http.IncomingMessage,
  protocol: StreamProtocol,
): AsyncGenerator<StreamMessage, void> {
  const delimiter = protocol === 'sse' ? '\n\n' : '\r\n--graphql';
  const read = protocol === 'sse' ? sseMessage : partMessage;
  let text = '';
  try {
    for await (const chunk of response.setEncoding('utf8')) {
      text += String(chunk);
      for (let at = text.indexOf(delimiter); at >= 0; at = text.indexOf(delimiter)) {
        const message = read(text.slice(0, at));
        text = text.slice(at + delimiter.length);
        if (message) yield message;
      }
      if (protocol === 'multipart' && text.startsWith('--\r\n')) yield { kind: 'complete' };
    }
  } catch {
    yield { kind: 'broken' }; // the connection was cut
  }
}

function sseMessage(text: string): StreamMessage {
  const fields = new Map(
    text
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  );
  if (fields.get('event') === 'complete') return { kind: 'complete' };
  if (fields.get('event') !== 'next') return { kind: 'heartbeat' };
  const result = JSON.parse(fields.get('data') ?? '') as Result;
  return 'data' in result ? { kind: 'result', result } : { kind: 'failed', errors: result.errors ?? [] };
}

function partMessage(text: string): StreamMessage | undefined {
  if (text === '') return undefined; // before the first delimiter
  const [head = '', body = ''] = text.split('\r\n\r\n', 2);
  if (head.trim() !== 'Content-Type: application/json') throw new Error(`Not a part: ${text}`);
  const { payload, errors } = JSON.parse(body) as {
    payload?: Result | null;
    errors?: GraphQLFormattedError[];
  };
  if (payload) return { kind: 'result', result: payload };
  return payload === null ? { kind: 'failed', errors: errors ?? [] } : { kind: 'heartbeat' };
}
