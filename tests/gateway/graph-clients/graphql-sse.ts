import type { ExecutionResult } from 'graphql';
import { createClient, NetworkError } from 'graphql-sse';
import { setTimeout as pause } from 'node:timers/promises';
import type { PartsMessage } from '../../support/parts.ts';
import {
  authorizationOf,
  eventsOf,
  resultOf,
  RETRY_MILLIS,
  statesOf,
  type GraphOperation,
  type MakeClient,
} from './graph-client.ts';

/** The client of the GraphQL over SSE protocol. Every operation is answered by a stream. */
export const graphqlSse: MakeClient = (url, token) => {
  const client = (retryAttempts: number) =>
    createClient({
      url: `${url}/graphql`,
      headers: () => authorizationOf(token()),
      retryAttempts,
      retry: () => pause(RETRY_MILLIS),
    });
  const [once, live] = [client(0), client(1_000)];
  return {
    name: 'graphql-sse',
    send: async ({ query, variables = {} }: GraphOperation) => {
      let result: ExecutionResult<Record<string, unknown>, unknown> = {};
      try {
        await new Promise<void>((resolve, reject) => {
          once.subscribe(
            { query, variables },
            { next: (next) => (result = next), complete: resolve, error: reject },
          );
        });
      } catch (error) {
        if (!(error instanceof NetworkError && error.response)) throw error;
        return resultOf((await (error.response as Response).json()) as ExecutionResult);
      }
      return resultOf(result);
    },
    readParts: ({ query, variables = {} }) =>
      new Promise((resolve, reject) => {
        const messages: PartsMessage[] = [];
        once.subscribe(
          { query, variables },
          {
            next: (message) => messages.push(message as PartsMessage),
            complete: () => resolve(statesOf(messages)),
            error: reject,
          },
        );
      }),
    subscribe: ({ query, variables = {} }) =>
      eventsOf((push) =>
        live.subscribe(
          { query, variables },
          { next: ({ data }) => data && push(data), complete: () => undefined, error: () => undefined },
        ),
      ),
  };
};
