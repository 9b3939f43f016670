/** How a test calls servers over HTTP. */
export interface CallOptions {
  token?: string;
  headers?: Record<string, string>;
  /** Bytes, text, forms and blobs are sent unchanged, everything else as JSON. */
  body?: unknown;
}

// oxlint-disable-next-line no-explicit-any -- the type of an answer for which a test names no type
export type Untyped = any;

/**
 * The answer of a REST call. `Body` is the type of the route's declared answer, such as `LocationShape`; the services of
 * a test check each answer against that declaration (`verifyAnswers`).
 */
export interface RestAnswer<Body = Untyped> {
  status: number;
  headers: Headers;
  body: Body;
}

/** The answer to a GraphQL operation. `Data` is the type of its selection. */
export interface GraphAnswer<Data = Untyped> {
  status: number;
  data: Data;
  errors?: {
    message: string;
    path?: (string | number)[];
    extensions: { code: string; [key: string]: unknown };
  }[];
}

/** A page of a connection, if its operation selects `nodes` and the whole `pageInfo`. */
export interface GraphPage<Node> {
  nodes: Node[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

/** Calls to servers by their names. */
export interface HttpClient<Server extends string> {
  /** `rest<LocationShape[]>('gym', 'GET', '/locations', { token })` */
  rest<Body = Untyped>(
    server: Server,
    method: string,
    path: string,
    options?: CallOptions,
  ): Promise<RestAnswer<Body>>;
  /** One GraphQL operation at the server's own port: `graph<{ me: { id: string } }>('identity', '{ me { id } }')`. */
  graph<Data = Untyped>(
    server: Server,
    query: string,
    variables?: object,
    options?: CallOptions,
  ): Promise<GraphAnswer<Data>>;
}

export function httpClient<Server extends string>(urlOf: (server: Server) => string): HttpClient<Server> {
  const rest: HttpClient<Server>['rest'] = async (server, method, path, options = {}) => {
    const response = await fetch(urlOf(server) + path, { method, ...encoded(options) });
    return { status: response.status, headers: response.headers, body: await bodyOf(response) };
  };
  return {
    rest,
    async graph(server, query, variables = {}, options = {}) {
      const { status, body } = await rest(server, 'POST', '/graphql', {
        ...options,
        body: { query, variables },
      });
      return { status, ...body };
    },
  };
}

function encoded({ token, headers, body }: CallOptions): RequestInit {
  const authorization = token ? { Authorization: `Bearer ${token}` } : undefined;
  if (body === undefined) return { headers: { ...authorization, ...headers } };
  if (
    typeof body === 'string' ||
    body instanceof FormData ||
    body instanceof Blob ||
    body instanceof Uint8Array
  )
    return { headers: { ...authorization, ...headers }, body: body as NonNullable<RequestInit['body']> };
  return {
    headers: { 'Content-Type': 'application/json', ...authorization, ...headers },
    body: JSON.stringify(body),
  };
}

/** Returns parsed JSON, text as a string, anything else as bytes, and undefined for an empty body. */
async function bodyOf(response: Response): Promise<Untyped> {
  const type = response.headers.get('content-type') ?? '';
  if (type.includes('json')) return response.json();
  if (type.startsWith('text/') || type.includes('svg')) return response.text();
  const bytes = Buffer.from(await response.arrayBuffer());
  return bytes.length > 0 ? bytes : undefined;
}
