import { EventSource } from 'eventsource';
import type { ExecutionResult } from 'graphql';
import type { PartsMessage } from '../../support/parts.ts';
import {
  authorizationOf,
  eventsOf,
  resultOf,
  statesOf,
  type ClientResult,
  type GraphOperation,
  type MakeClient,
} from './graph-client.ts';

/**
 * A package with the interface `EventSource` of the HTML standard, which sends only GET requests. The `EventSource`
 * of a browser cannot send a token; the documented option `fetch` of this package adds it.
 */
export const eventSource: MakeClient = (url, token) => {
  const open = ({ query, variables = {} }: GraphOperation): EventSource => {
    const target = new URL('/graphql', url);
    target.searchParams.set('query', query);
    target.searchParams.set('variables', JSON.stringify(variables));
    return new EventSource(target, {
      fetch: (input, init) =>
        fetch(input, { ...init, headers: { ...init.headers, ...authorizationOf(token()) } }),
    });
  };
  const get = (operation: GraphOperation): Promise<ClientResult> =>
    new Promise((resolve, reject) => {
      const source = open(operation);
      let result: ExecutionResult = {};
      source.addEventListener('next', ({ data }) => (result = JSON.parse(String(data)) as ExecutionResult));
      source.addEventListener('complete', () => {
        source.close();
        resolve(resultOf(result));
      });
      source.addEventListener('error', ({ code, message }) => {
        source.close();
        // The error has the status of a refusal, but not its body.
        if (code === 401) resolve({ data: undefined, codes: ['UNAUTHENTICATED'] });
        else reject(new Error(message));
      });
    });
  return {
    name: 'EventSource',
    // A mutation cannot be sent by GET, so `fetch` sends it.
    async send(operation) {
      if (!operation.query.startsWith('mutation')) return get(operation);
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { ...authorizationOf(token()), 'content-type': 'application/json' },
        body: JSON.stringify(operation),
      });
      return resultOf((await response.json()) as ExecutionResult);
    },
    get,
    readParts: (operation) =>
      new Promise((resolve, reject) => {
        const source = open(operation);
        const messages: PartsMessage[] = [];
        source.addEventListener('next', ({ data }) =>
          messages.push(JSON.parse(String(data)) as PartsMessage),
        );
        source.addEventListener('complete', () => {
          source.close();
          resolve(statesOf(messages));
        });
        source.addEventListener('error', ({ message }) => reject(new Error(message)));
      }),
    subscribe: (operation) =>
      eventsOf((push) => {
        const source = open(operation);
        source.addEventListener('next', ({ data }) =>
          push((JSON.parse(String(data)) as ExecutionResult).data),
        );
        return () => source.close();
      }),
  };
};
