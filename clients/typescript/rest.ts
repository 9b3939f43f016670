import createClient, { type Client } from 'openapi-fetch';
import type { paths } from './rest.generated.ts';

export interface RestClientOptions {
  /** The gateway, e.g. `http://localhost:4000`. */
  url: string;
  /** Called before each request. Without a token, or with an empty one, the request is anonymous. */
  token?: () => string | undefined;
}

/** A client of the REST interface of all services, typed by the gateway's OpenAPI document. */
export function restClient({ url, token }: RestClientOptions): Client<paths> {
  const client = createClient<paths>({ baseUrl: url });
  client.use({
    onRequest({ request }) {
      const current = token?.();
      if (current) request.headers.set('Authorization', `Bearer ${current}`);
    },
  });
  return client;
}
