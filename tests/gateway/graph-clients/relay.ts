import type { ExecutionResult } from 'graphql';
import { createClient } from 'graphql-sse';
import { meros } from 'meros/browser';
import { setTimeout as pause } from 'node:timers/promises';
import {
  Network,
  Observable,
  type GraphQLResponse,
  type RequestParameters,
  type UploadableMap,
} from 'relay-runtime';
import type { PartsMessage } from '../../support/parts.ts';
import {
  authorizationOf,
  eventsOf,
  resultOf,
  RETRY_MILLIS,
  statesOf,
  type ClientResult,
  type GraphOperation,
  type MakeClient,
} from './graph-client.ts';

/** Relay's network layer, with fetch, graphql-sse for subscriptions, and meros for answers in parts. */
export const relay: MakeClient = (url, token) => {
  const live = createClient({
    url: `${url}/graphql`,
    headers: () => authorizationOf(token()),
    retryAttempts: 1_000,
    retry: () => pause(RETRY_MILLIS),
  });
  const network = Network.create(
    ({ text }, variables, _cacheConfig, uploadables) =>
      Observable.create((sink) => {
        const operation = { query: text, variables };
        // Only Relay's store throws an error if the answer has errors; this network layer passes the answer on.
        const pass = (payload: object): void => sink.next(payload as GraphQLResponse);
        const send = async (): Promise<void> => {
          const response = await fetch(`${url}/graphql`, {
            method: 'POST',
            headers: {
              ...authorizationOf(token()),
              ...(text?.includes('@defer') && { accept: 'multipart/mixed, application/json' }),
              ...(uploadables
                ? { 'apollo-require-preflight': 'true' }
                : { 'content-type': 'application/json' }),
            },
            body: uploadables ? formOf(operation, uploadables) : JSON.stringify(operation),
          });
          const parts = await meros<PartsMessage>(response);
          if (parts instanceof Response) return pass((await parts.json()) as object);
          // Relay gets each deferred part as a payload of its own, which says whether it is the last one.
          for await (const { body } of parts as AsyncIterable<{ body: PartsMessage }>) {
            const { incremental, hasNext, ...first } = body;
            const payloads = incremental ?? [first];
            for (const [index, payload] of payloads.entries())
              pass({ ...payload, extensions: { is_final: !hasNext && index === payloads.length - 1 } });
          }
        };
        send().then(
          () => sink.complete(),
          (error: unknown) => sink.error(error as Error),
        );
      }),
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
    readParts: (operation) =>
      new Promise((resolve, reject) => {
        const messages: PartsMessage[] = [];
        execute(operation).subscribe({
          next: (payload) => messages.push(messageOf(payload as RelayPayload)),
          complete: () => resolve(statesOf(messages)),
          error: reject,
        });
      }),
    subscribe: (operation) =>
      eventsOf((push) => {
        const subscription = execute(operation).subscribe({
          next: (result) => push((result as ExecutionResult).data),
        });
        return () => subscription.unsubscribe();
      }),
  };
};

type RelayPayload = NonNullable<PartsMessage['incremental']>[number] & { extensions: { is_final: boolean } };

/** The message from which a payload was made. */
const messageOf = ({ extensions, ...payload }: RelayPayload): PartsMessage =>
  payload.path
    ? { incremental: [payload], hasNext: !extensions.is_final }
    : { data: payload.data, hasNext: !extensions.is_final };

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
