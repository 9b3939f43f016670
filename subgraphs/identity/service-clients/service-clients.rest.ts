import { restRoute } from '#server/rest/route.ts';
import { TAGS } from '../api-tags.ts';
import { SERVICE_TOKEN_RATE } from '../rates.ts';
import type { ClientTokens } from '../api-clients/client-tokens.ts';
import { ClientCredentialsShape, ClientTokenShape } from './service-clients.shapes.ts';
import { tokenErrors } from './token-errors.rest.ts';

const route = restRoute<{ clientTokens: ClientTokens }>(TAGS.machineClients);

export const serviceClientsRest = [
  route({
    method: 'POST',
    path: '/auth/token',
    operationId: 'getClientToken',
    summary: 'Get an access token for a machine client, or for a service of the platform',
    description:
      'Client credentials as in OAuth 2.0 (RFC 6749, section 4.4), in a form or a JSON body; `client_id` and `client_secret` may be sent by HTTP Basic authentication instead. The token of a machine client is valid for 15 minutes, and has the scopes in `scope`, separated by spaces, or all that the client was granted. Refusals have the member `error` of RFC 6749, section 5.2, besides those of every problem.',
    auth: 'ignoreInvalidToken',
    body: ClientCredentialsShape,
    acceptsForm: true,
    rateLimit: SERVICE_TOKEN_RATE,
    success: { status: 200, description: 'An access token.', shape: ClientTokenShape, noStore: true },
    problemExtension: tokenErrors,
    handler: ({ body, header }, { clientTokens }) => clientTokens.issue(body, header('authorization')),
  }),
];
