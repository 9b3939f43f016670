import { Client, fetchExchange, type OperationResult } from '@urql/core';
import type { Untyped } from '../../support/platform/http-client.ts';
import { authorizationOf, eventsOf, resultOf, RETRY_MILLIS, type MakeClient } from './graph-client.ts';

/** urql. `get` uses its default, which is GET while the URL is short; uploads and subscriptions use `fetch`. */
export const urql: MakeClient = (url, token) => {
  const client = new Client({
    url: `${url}/graphql`,
    exchanges: [fetchExchange],
    fetchSubscriptions: true,
    requestPolicy: 'network-only',
    fetchOptions: () => ({ headers: { ...authorizationOf(token()), 'apollo-require-preflight': 'true' } }),
  });
  const outcome = ({ data, error }: OperationResult) =>
    resultOf({ data, ...(error && { errors: error.graphQLErrors }) });
  const mutate = async (query: string, variables: object) =>
    outcome(await client.mutation(query, variables).toPromise());
  return {
    name: 'urql',
    send: async ({ query, variables = {} }) =>
      query.startsWith('mutation')
        ? mutate(query, variables)
        : outcome(await client.query(query, variables, { preferGetMethod: false }).toPromise()),
    get: async ({ query, variables = {} }) => outcome(await client.query(query, variables).toPromise()),
    upload: ({ query, variables = {} }, file) => mutate(query, { ...variables, file }),
    readParts: ({ query, variables = {} }) =>
      new Promise((resolve, reject) => {
        const states: Untyped[] = [];
        client.query(query, variables).subscribe(({ data, error, hasNext }) => {
          if (error) return reject(error);
          states.push(structuredClone(data));
          if (!hasNext) resolve(states);
        });
      }),
    subscribe: ({ query, variables = {} }) =>
      eventsOf((push) => {
        let stop = (): void => undefined;
        let isOpen = true;
        let retry: NodeJS.Timeout | undefined;
        // urql reports the end of the connection as an error; an application subscribes again, as urql's
        // retryExchange does. The old subscription is ended first, because otherwise urql shares it with the new one.
        const subscribe = (): void => {
          stop();
          retry = undefined;
          if (!isOpen) return;
          stop = client.subscription(query, variables).subscribe(({ data, error, hasNext }) => {
            if (data && !error) push(data);
            if (error ?? !hasNext) retry ??= setTimeout(subscribe, RETRY_MILLIS);
          }).unsubscribe;
        };
        subscribe();
        return () => {
          isOpen = false;
          stop();
        };
      }),
  };
};
