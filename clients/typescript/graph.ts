import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { print } from 'graphql';

export interface GraphClientOptions {
  /** The gateway, e.g. `http://localhost:4000`. */
  url: string;
  /** The access token of a user. Without one the request is anonymous. */
  token?: string;
}

interface Answer<Data> {
  data?: Data | null;
  errors?: readonly {
    message: string;
    path?: readonly (string | number)[];
    extensions?: { code?: string };
  }[];
}

/**
 * Runs a query or mutation of `graph.generated.ts`. If a service is down, only its fields are null.
 * @throws Error if there is no data
 */
export async function runGraph<Data, Variables>(
  { url, token }: GraphClientOptions,
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Promise<Data> {
  const answer = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ query: print(document), variables }),
  });
  const { data, errors } = (await answer.json()) as Answer<Data>;
  if (!data)
    throw new Error(
      errors?.map(({ message }) => message).join(' ') ?? `The gateway answered ${answer.status}.`,
    );
  return data;
}
