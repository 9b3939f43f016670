// Sends GraphiQL's operations: over HTTP, as a GraphQL multipart request if files are chosen, over a WebSocket for subscriptions.
import { createClient } from '../graphql-ws/client.js';

/** A GraphiQL fetcher. */
export function createTransport(graphUrl, { session, uploads }) {
  // A token that the page has filled in is renewed before it is sent; one that the user typed is sent unchanged.
  const authorizing = ({ ...headers }) => {
    const name = Object.keys(headers).find((key) => key.toLowerCase() === 'authorization');
    const isOurs = name && session.user && headers[name] === session.authorization();
    return async () => {
      const value = isOurs ? await session.freshAuthorization() : headers[name];
      if (!name) return headers;
      const { [name]: _replaced, ...others } = headers;
      return value ? { ...others, [name]: value } : others; // an empty value means an anonymous request
    };
  };

  return async (operation, { headers = {}, documentAST } = {}) => {
    const headersOfNow = authorizing(headers);
    if (isSubscription(documentAST, operation.operationName))
      return overSocket(graphUrl, operation, headersOfNow);
    return overHttp(graphUrl, operation, await headersOfNow(), uploads.chosenFor(operation));
  };
}

const isSubscription = (document, operationName) =>
  document?.definitions.some(
    ({ kind, operation, name }) =>
      kind === 'OperationDefinition' &&
      operation === 'subscription' &&
      (!operationName || name?.value === operationName),
  );

async function overHttp(url, operation, headers, files) {
  const answer = await fetch(url, {
    method: 'POST',
    ...(files.size > 0 ? multipart(operation, headers, files) : json(operation, headers)),
  });
  const text = await answer.text();
  try {
    return JSON.parse(text);
  } catch {
    return { errors: [{ message: `The gateway answered ${answer.status} ${answer.statusText}`.trim() }] };
  }
}

const json = (operation, headers) => ({
  headers: { ...headers, 'Content-Type': 'application/json' },
  body: JSON.stringify(operation),
});

/** https://github.com/jaydenseric/graphql-multipart-request-spec; the header is the gateway's CSRF prevention. */
function multipart(operation, headers, files) {
  const variables = structuredClone(operation.variables ?? {});
  const map = {};
  for (const [index, path] of [...files.keys()].entries()) {
    map[index] = [`variables.${path}`];
    setNull(variables, path.split('.'));
  }
  const body = new FormData();
  body.append('operations', JSON.stringify({ ...operation, variables }));
  body.append('map', JSON.stringify(map));
  for (const [index, file] of [...files.values()].entries()) body.append(String(index), file);
  return { headers: { ...headers, 'Apollo-Require-Preflight': 'true' }, body };
}

/** Sets `null` at the path of a file, and creates missing lists and objects on the path. */
function setNull(target, [key, ...rest]) {
  if (rest.length === 0) target[key] = null;
  else {
    target[key] ??= /^\d+$/.test(rest[0]) ? [] : {};
    setNull(target[key], rest);
  }
}

/** One WebSocket for each subscription; it reconnects by itself, with the Authorization of that moment. */
const overSocket = (url, operation, connectionParams) => ({
  subscribe(observer) {
    let wasConnected = false;
    const client = createClient({
      url: url.replace(/^http/, 'ws'),
      connectionParams,
      on: { connected: () => (wasConnected = true) },
      shouldRetry: () => wasConnected, // a refused first connection would be refused again
    });
    const unsubscribe = client.subscribe(operation, {
      next: (value) => observer.next(value),
      complete: () => observer.complete(),
      error: (error) => observer.error(error instanceof CloseEvent ? closedError(error) : error),
    });
    return { unsubscribe };
  },
});

const FORBIDDEN = 4403; // of graphql-transport-ws

const closedError = ({ code, reason }) =>
  new Error(
    code === FORBIDDEN
      ? 'The token in the headers is not valid, or has expired: log in again.'
      : `The socket was closed with ${code}${reason ? `: ${reason}` : ''}.`,
  );
