// How GraphiQL's operations travel: HTTP, a GraphQL multipart request where files are chosen, a socket for subscriptions.
import { createClient } from '../graphql-ws/client.js';

/** A GraphiQL fetcher. */
export function createTransport(graphUrl, { session, uploads }) {
  // What we have filled in is sent renewed; what somebody typed is sent as it is.
  const authorizing = ({ ...headers }) => {
    const name = Object.keys(headers).find((key) => key.toLowerCase() === 'authorization');
    const isOurs = name && session.user && headers[name] === session.authorization();
    return async () => {
      const value = isOurs ? await session.freshAuthorization() : headers[name];
      if (!name) return headers;
      const { [name]: _replaced, ...others } = headers;
      return value ? { ...others, [name]: value } : others; // an empty one means nobody
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

/** https://github.com/jaydenseric/graphql-multipart-request-spec; the header proves that no foreign form has sent it. */
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

/** `null` where the file will stand; the lists and objects on the way are made where they are not there. */
function setNull(target, [key, ...rest]) {
  if (rest.length === 0) target[key] = null;
  else {
    target[key] ??= /^\d+$/.test(rest[0]) ? [] : {};
    setNull(target[key], rest);
  }
}

/** One socket a subscription; it comes back by itself after a break, with the Authorization of then. */
const overSocket = (url, operation, connectionParams) => ({
  subscribe(observer) {
    let wasConnected = false;
    const client = createClient({
      url: url.replace(/^http/, 'ws'),
      connectionParams,
      on: { connected: () => (wasConnected = true) },
      shouldRetry: () => wasConnected, // one that is refused at first is refused for a reason
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
      ? 'The token in the headers does not hold, or has expired: log in again.'
      : `The socket was closed with ${code}${reason ? `: ${reason}` : ''}.`,
  );
