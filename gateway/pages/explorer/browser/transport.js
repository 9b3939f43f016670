// Sends GraphiQL's operations: over HTTP, as a GraphQL multipart request if files are chosen, over a WebSocket for subscriptions.
import { createClient } from '../graphql-ws/client.js';
import { partsOf } from './multipart.js';

/** A GraphiQL fetcher. @param live shows results that arrive one after the other */
export function createTransport(graphUrl, { session, uploads, live }) {
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
      return overSocket(graphUrl, operation, headersOfNow, live('event'));
    const answer = await overHttp(graphUrl, operation, await headersOfNow(), uploads.chosenFor(operation));
    const parts = partsOf(answer);
    return parts ? shownParts(parts, live('part')) : jsonOf(answer);
  };
}

const isSubscription = (document, operationName) =>
  document?.definitions.some(
    ({ kind, operation, name }) =>
      kind === 'OperationDefinition' &&
      operation === 'subscription' &&
      (!operationName || name?.value === operationName),
  );

const overHttp = (url, operation, headers, files) =>
  fetch(url, {
    method: 'POST',
    ...(files.size > 0 ? multipart(operation, headers, files) : json(operation, headers)),
  });

async function jsonOf(answer) {
  const text = await answer.text();
  try {
    return JSON.parse(text);
  } catch {
    return { errors: [{ message: `The gateway answered ${answer.status} ${answer.statusText}`.trim() }] };
  }
}

/** GraphiQL merges each part into the answer. */
async function* shownParts(parts, shown) {
  shown.state('open', 'Parts of the answer arrive');
  let ending = 'Stopped before the last part';
  try {
    for await (const part of parts) {
      shown.add(part);
      if (!part.hasNext) ending = 'The answer is complete';
      yield part;
    }
  } finally {
    shown.end(ending);
  }
}

// The parts of a deferred answer in the form that GraphiQL reads; every other operation is answered by JSON alone.
const DEFERRED = 'multipart/mixed;deferSpec=20220824, application/json';

const json = (operation, headers) => ({
  headers: {
    ...headers,
    'Content-Type': 'application/json',
    ...(operation.query.includes('@defer') && { Accept: DEFERRED }),
  },
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
const overSocket = (url, operation, connectionParams, shown) => ({
  subscribe(observer) {
    let wasConnected = false;
    shown.state('waiting', 'Connecting');
    const client = createClient({
      url: url.replace(/^http/, 'ws'),
      connectionParams,
      on: {
        connected() {
          wasConnected = true;
          shown.state('open', 'Live');
        },
        closed: () => shown.state('waiting', 'The connection is lost; connecting again'),
      },
      shouldRetry: () => wasConnected, // a refused first connection would be refused again
    });
    const unsubscribe = client.subscribe(operation, {
      next(value) {
        shown.add(value);
        observer.next(value);
      },
      complete() {
        shown.end('The subscription has ended');
        observer.complete();
      },
      error(error) {
        shown.end('The subscription has ended with an error');
        observer.error(error instanceof CloseEvent ? closedError(error) : error);
      },
    });
    return {
      unsubscribe() {
        shown.end('Stopped');
        unsubscribe();
      },
    };
  },
});

const FORBIDDEN = 4403; // of graphql-transport-ws

const closedError = ({ code, reason }) =>
  new Error(
    code === FORBIDDEN
      ? 'The token in the headers is not valid, or has expired: log in again.'
      : `The socket was closed with ${code}${reason ? `: ${reason}` : ''}.`,
  );
