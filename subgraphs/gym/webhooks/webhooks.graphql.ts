import { connectionOf, pageOf } from '#server/graphql/connection.ts';
import { orNull } from '#server/graphql/or-null.ts';
import type { Resolvers } from '../resolvers.generated.ts';

export const webhooksGraphql = {
  Query: {
    webhooks: async (_root, { gymId, ...page }, { webhooks }) =>
      connectionOf(await webhooks.list({ gymId }, pageOf(page))),
    webhook: (_root, { id }, { webhooks }) => orNull(webhooks.get(id)),
  },
  Mutation: {
    createWebhook: (_root, { input }, { webhooks }) => webhooks.create(input),
    updateWebhook: (_root, { input: { id, ...input } }, { webhooks }) => webhooks.update(id, input),
    deleteWebhook: async (_root, { input }, { webhooks }) => {
      await webhooks.delete(input.id);
      return true;
    },
    rotateWebhookSecret: (_root, { input }, { webhooks }) => webhooks.rotateSecret(input.id),
    replayDelivery: (_root, { input }, { webhookDeliveries }) =>
      webhookDeliveries.replay(input.webhookId, input.deliveryId),
    replayWebhook: async (_root, { input: { id, ...range } }, { webhookDeliveries }) =>
      (await webhookDeliveries.replayRange(id, range)).deliveries,
    testWebhook: (_root, { input }, { webhookDeliveries }) => webhookDeliveries.test(input.id),
  },
  Webhook: {
    deliveries: async ({ id }, { status, ...page }, { webhookDeliveries }) =>
      connectionOf(await webhookDeliveries.list(id, { status }, pageOf(page))),
  },
} satisfies Resolvers;
