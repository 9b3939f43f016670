import { pageQuery } from '#server/paging.ts';
import { callers, GYM_STAFF } from '#server/rest/callers.ts';
import { restRoute } from '#server/rest/route.ts';
import { gymQuery, idParams } from '#server/shapes.ts';
import { TAGS } from '../api-tags.ts';
import type { ApiClients } from './api-clients.ts';
import { ApiClientShape, ApiClientWithSecretShape, CreateApiClientInput } from './api-clients.shapes.ts';

const route = restRoute<{ apiClients: ApiClients }>(TAGS.machineClients);

export const apiClientsRest = [
  route({
    method: 'GET',
    path: '/api-clients',
    operationId: 'listApiClients',
    summary: 'Machine clients, the oldest first',
    only: callers('GYM_ADMIN: of their gym; SUPER_ADMIN: all', 'GYM_ADMIN', 'SUPER_ADMIN'),
    auth: 'required',
    query: pageQuery.extend(gymQuery.shape),
    success: {
      status: 200,
      description: 'A page of clients, without secrets.',
      shape: ApiClientShape,
      page: true,
    },
    errors: ['FORBIDDEN', 'GYM_REQUIRED'],
    handler: ({ query }, { apiClients }) => apiClients.list({ gymId: query.gymId }, query),
  }),
  route({
    method: 'POST',
    path: '/api-clients',
    operationId: 'createApiClient',
    summary: 'Create a machine client',
    description:
      'For a turnstile, a kiosk or another system of a gym. It gets tokens by `POST /auth/token`, and may do what its scopes say. A gym has at most 100.',
    only: GYM_STAFF,
    auth: 'required',
    body: CreateApiClientInput,
    success: {
      status: 201,
      description: 'The client with its secret, which is in no other answer.',
      shape: ApiClientWithSecretShape,
      noStore: true,
    },
    errors: ['FORBIDDEN', 'GYM_REQUIRED', 'CONFLICT', 'UPSTREAM_UNAVAILABLE'],
    handler: ({ body }, { apiClients }) => apiClients.create(body),
  }),
  route({
    method: 'POST',
    path: '/api-clients/:id/rotate',
    operationId: 'rotateApiClientSecret',
    summary: 'Give a machine client a new secret',
    description:
      'The previous secret stays valid for 24 hours, so that there is time to set the new one at the machine. A second rotation ends it at once.',
    only: GYM_STAFF,
    auth: 'required',
    params: idParams,
    success: {
      status: 200,
      description: 'The client with its new secret.',
      shape: ApiClientWithSecretShape,
      noStore: true,
    },
    errors: ['FORBIDDEN'],
    handler: ({ params }, { apiClients }) => apiClients.rotateSecret(params.id),
  }),
  route({
    method: 'DELETE',
    path: '/api-clients/:id',
    operationId: 'deleteApiClient',
    summary: 'Delete a machine client',
    description: 'All services refuse its tokens within 5 seconds.',
    only: GYM_STAFF,
    auth: 'required',
    params: idParams,
    success: { status: 204, description: 'The client is deleted.' },
    errors: ['FORBIDDEN'],
    handler: ({ params }, { apiClients }) => apiClients.delete(params.id),
  }),
];
