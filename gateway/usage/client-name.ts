import type { IncomingHttpHeaders } from 'node:http';

const MAX_CHARACTERS = 64;

/** The name by which a client identifies its application, with its version; undefined if it sends none. */
export function clientNameIn(headers: IncomingHttpHeaders): string | undefined {
  const name = headers['apollographql-client-name'] ?? headers['graphql-client-name'];
  if (typeof name !== 'string' || name === '') return undefined;
  const version = headers['apollographql-client-version'] ?? headers['graphql-client-version'];
  return `${name}${typeof version === 'string' && version !== '' ? ` ${version}` : ''}`.slice(
    0,
    MAX_CHARACTERS,
  );
}
