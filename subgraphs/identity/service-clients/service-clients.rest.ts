import { restRoute } from '#server/rest/route.ts';
import { SERVICE_TOKEN_RATE } from '../rates.ts';
import type { ServiceClients } from './service-clients.ts';
import { ClientCredentialsShape, ServiceTokenShape } from './service-clients.shapes.ts';

const route = restRoute<{ serviceClients: ServiceClients }>();

export const serviceClientsRest = [
  route({
    method: 'POST',
    path: '/auth/token',
    summary: 'Get an access token for a service of the platform',
    description: 'Client credentials as in OAuth 2.0, in a JSON body.',
    auth: 'ignoreInvalidToken',
    body: ClientCredentialsShape,
    rateLimit: SERVICE_TOKEN_RATE,
    success: { status: 200, description: 'An access token with the role SERVICE.', shape: ServiceTokenShape },
    handler: ({ body }, { serviceClients }) => serviceClients.token(body.client_id, body.client_secret),
  }),
];
