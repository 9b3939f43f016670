import { request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';

export interface RawResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/**
 * Sends `POST /graphql` with this body and these headers, as JSON unless the headers name another type. `fetch` would add
 * headers, for example for compression.
 */
export function postGraph(
  url: string,
  body: string | object,
  headers: OutgoingHttpHeaders = {},
): Promise<RawResponse> {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return new Promise((resolve, reject) => {
    const sent = { 'content-type': 'application/json', 'content-length': bytes.length, ...headers };
    request(`${url}/graphql`, { method: 'POST', headers: sent }, (response) => {
      text(response).then(
        (read) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: read }),
        reject,
      );
    })
      .once('error', reject)
      .end(bytes);
  });
}
