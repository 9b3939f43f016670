import { pageQuery } from '#server/paging.ts';
import { callers, GYM_STAFF } from '#server/rest/callers.ts';
import { Reply, restRoute } from '#server/rest/route.ts';
import { gymQuery, idParams, uuid } from '#server/shapes.ts';
import { TAGS } from '../api-tags.ts';
import type { WebhookDeliveries } from './deliveries.ts';
import {
  CreateWebhookInput,
  DeliveriesQuery,
  ReplayInput,
  ReplayShape,
  UpdateWebhookInput,
  WebhookDeliveryShape,
  WebhookShape,
  WebhookWithSecretShape,
} from './webhooks.shapes.ts';
import type { Webhooks } from './webhooks.ts';

const route = restRoute<{ webhooks: Webhooks; webhookDeliveries: WebhookDeliveries }>(TAGS.webhooks);

/** The callers of all these routes. */
const MANAGERS = { only: GYM_STAFF, scopes: ['webhooks'], auth: 'required' } as const;

export const webhooksRest = [
  route({
    method: 'GET',
    path: '/webhooks',
    operationId: 'listWebhooks',
    summary: 'Webhooks, the oldest first',
    ...MANAGERS,
    only: callers('GYM_ADMIN: of their gym; SUPER_ADMIN: all', 'GYM_ADMIN', 'SUPER_ADMIN'),
    query: pageQuery.extend(gymQuery.shape),
    success: {
      status: 200,
      description: 'A page of webhooks, without secrets.',
      shape: WebhookShape,
      page: true,
    },
    errors: ['GYM_REQUIRED'],
    handler: ({ query: { gymId, ...page } }, { webhooks }) => webhooks.list({ gymId }, page),
  }),
  route({
    method: 'POST',
    path: '/webhooks',
    operationId: 'createWebhook',
    summary: 'Create a webhook',
    description:
      'The events of the gym are sent to the URL from now on, by the Standard Webhooks specification. A machine client may choose only types whose resource its scopes let it read. A gym can have at most 20; there can be 20 more that receive the events of all gyms.',
    ...MANAGERS,
    body: CreateWebhookInput,
    success: {
      status: 201,
      description:
        'The webhook with its secret, which no later answer contains; a rotation returns a new one.',
      shape: WebhookWithSecretShape,
    },
    errors: ['GYM_REQUIRED', 'CONFLICT'],
    handler: async ({ body }, { webhooks }) => {
      const created = await webhooks.create(body);
      return new Reply(201, created, { Location: `/webhooks/${created.id}` });
    },
  }),
  route({
    method: 'GET',
    path: '/webhooks/:id',
    operationId: 'getWebhook',
    summary: 'One webhook',
    ...MANAGERS,
    params: idParams,
    success: { status: 200, description: 'The webhook, without its secret.', shape: WebhookShape },
    handler: ({ params }, { webhooks }) => webhooks.get(params.id),
  }),
  route({
    method: 'PUT',
    path: '/webhooks/:id',
    operationId: 'updateWebhook',
    summary: 'Change a webhook, or switch it on or off',
    description: 'Absent fields are unchanged.',
    ...MANAGERS,
    params: idParams,
    body: UpdateWebhookInput,
    versioned: true,
    success: { status: 200, description: 'The webhook.', shape: WebhookShape },
    handler: ({ params, body, expectedVersion }, { webhooks }) =>
      webhooks.update(params.id, body, expectedVersion),
  }),
  route({
    method: 'POST',
    path: '/webhooks/:id/rotate-secret',
    operationId: 'rotateWebhookSecret',
    summary: 'Give a webhook a new secret',
    description:
      'For 24 hours, deliveries are signed with both secrets, so that there is time to set the new one at the receiver. A further rotation ends the oldest.',
    ...MANAGERS,
    params: idParams,
    success: { status: 200, description: 'The webhook with its new secret.', shape: WebhookWithSecretShape },
    handler: ({ params }, { webhooks }) => webhooks.rotateSecret(params.id),
  }),
  route({
    method: 'GET',
    path: '/webhooks/:id/deliveries',
    operationId: 'listWebhookDeliveries',
    summary: 'What was sent to a webhook, newest first',
    description: 'Deliveries are kept for 30 days.',
    ...MANAGERS,
    params: idParams,
    query: DeliveriesQuery,
    success: { status: 200, description: 'A page of deliveries.', shape: WebhookDeliveryShape, page: true },
    handler: ({ params, query: { status, ...page } }, { webhookDeliveries }) =>
      webhookDeliveries.list(params.id, { status }, page),
  }),
  route({
    method: 'POST',
    path: '/webhooks/:id/deliveries/:deliveryId/replay',
    operationId: 'replayDelivery',
    summary: 'Send one event again',
    description: 'With the same `webhook-id`.',
    ...MANAGERS,
    params: idParams.extend({ deliveryId: uuid().meta({ description: "The delivery's id." }) }),
    success: { status: 202, description: 'The delivery, which is sent now.', shape: WebhookDeliveryShape },
    errors: ['CONFLICT'],
    handler: ({ params }, { webhookDeliveries }) => webhookDeliveries.replay(params.id, params.deliveryId),
  }),
  route({
    method: 'POST',
    path: '/webhooks/:id/replay',
    operationId: 'replayWebhook',
    summary: 'Send the events of a period again',
    description:
      'All events of its types that occurred in this period, also those that were not sent because the webhook did not exist or was switched off; at most 10,000.',
    ...MANAGERS,
    params: idParams,
    body: ReplayInput,
    success: { status: 202, description: 'The number of events, which are sent now.', shape: ReplayShape },
    errors: ['CONFLICT'],
    handler: ({ params, body }, { webhookDeliveries }) => webhookDeliveries.replayRange(params.id, body),
  }),
  route({
    method: 'POST',
    path: '/webhooks/:id/test',
    operationId: 'testWebhook',
    summary: 'Send an event of the type `webhook.test`',
    description: 'Once, also if the webhook is switched off.',
    ...MANAGERS,
    params: idParams,
    success: { status: 202, description: 'The delivery, which is sent now.', shape: WebhookDeliveryShape },
    handler: ({ params }, { webhookDeliveries }) => webhookDeliveries.test(params.id),
  }),
  route({
    method: 'DELETE',
    path: '/webhooks/:id',
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook with its deliveries',
    ...MANAGERS,
    params: idParams,
    success: { status: 204, description: 'The webhook is deleted.' },
    handler: ({ params }, { webhooks }) => webhooks.delete(params.id),
  }),
];
