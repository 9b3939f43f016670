import type { ExecutionResult } from 'graphql';
import { createClient } from 'graphql-sse';
import { setTimeout as pause } from 'node:timers/promises';
import {
  Network,
  Observable,
  type GraphQLResponse,
  type RequestParameters,
  type UploadableMap,
} from 'relay-runtime';
import {
  authorizationOf,
  eventsOf,
  resultOf,
  RETRY_MILLIS,
  type ClientResult,
  type GraphOperation,
  type MakeClient,
} from './graph-client.ts';

/** Relay's network layer, with the functions of its documentation: fetch, and graphql-sse for subscriptions. */
export const relay: MakeClient = (url, token) => {
  const live = createClient({
    url: `${url}/graphql`,
    headers: () => authorizationOf(token()),
    retryAttempts: 1_000,
    retry: () => pause(RETRY_MILLIS),
  });
  const network = Network.create(
    async ({ text }, variables, _cacheConfig, uploadables) => {
      const operation = { query: text, variables };
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: {
          ...authorizationOf(token()),
          ...(uploadables ? { 'apollo-require-preflight': 'true' } : { 'content-type': 'application/json' }),
        },
        body: uploadables ? formOf(operation, uploadables) : JSON.stringify(operation),
      });
      // Relay throws for errors in its store only; here the answer is passed on.
      return (await response.json()) as GraphQLResponse;
    },
    ({ text }, variables) =>
      Observable.create((sink) =>
        live.subscribe(
          { query: text ?? '', variables },
          {
            next: (result) => sink.next(result as GraphQLResponse),
            complete: () => sink.complete(),
            error: (error) => sink.error(error as Error),
          },
        ),
      ),
  );
  const execute = ({ query, variables = {} }: GraphOperation, uploadables: UploadableMap | null = null) =>
    network.execute(parametersOf(query), variables, {}, uploadables);
  const sent = async (...request: Parameters<typeof execute>): Promise<ClientResult> =>
    resultOf((await execute(...request).toPromise()) as ExecutionResult);
  return {
    name: 'Relay',
    send: (operation) => sent(operation),
    upload: (operation, file) => sent(operation, { file }),
    subscribe: (operation) =>
      eventsOf((push) => {
        const subscription = execute(operation).subscribe({
          next: (result) => push((result as ExecutionResult).data),
        });
        return () => subscription.unsubscribe();
      }),
  };
};

/** What Relay's compiler writes for an operation. */
const parametersOf = (text: string): RequestParameters => ({
  cacheID: text,
  id: null,
  metadata: {},
  name: 'operation',
  operationKind: (/^(query|mutation|subscription)/.exec(text)?.[0] ??
    'query') as RequestParameters['operationKind'],
  text,
});

function formOf(
  { query, variables }: { query: string | null; variables: object },
  files: UploadableMap,
): FormData {
  const form = new FormData();
  form.append('operations', JSON.stringify({ query, variables: { ...variables, file: null } }));
  form.append('map', JSON.stringify({ file: ['variables.file'] }));
  for (const [name, file] of Object.entries(files)) form.append(name, file);
  return form;
}
