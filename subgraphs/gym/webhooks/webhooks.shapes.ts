import { z } from 'zod';
import { EVENT_TYPE_NAMES } from '#server/events/event-types.ts';
import { pageQuery } from '#server/paging.ts';
import { instant, uuid, versionNumber, visibleText } from '#server/shapes.ts';
import { DeliveryStatus } from './webhook.entity.ts';

const type = z.enum(EVENT_TYPE_NAMES, `expected types of events: ${EVENT_TYPE_NAMES.join(', ')}`);
const types = z
  .array(type)
  .min(1, 'expected at least one type of events')
  .max(EVENT_TYPE_NAMES.length)
  .refine((names) => new Set(names).size === names.length, 'expected each type once');
const url = z
  .string()
  .max(2_000)
  .meta({ description: 'A public https address, without user name, password and fragment.' });

export const WebhookShape = z
  .object({
    id: uuid(),
    gymId: uuid().nullable().meta({ description: 'Null: the events of all gyms.' }),
    url: z.string(),
    types: z.array(z.string()).meta({ description: 'The types of events that are sent.' }),
    description: z.string().nullable(),
    active: z.boolean().meta({ description: 'Whether events are sent.' }),
    disabledReason: z.string().nullable().meta({
      description: 'Why the platform has switched the webhook off; null if it has not.',
    }),
    createdAt: z.iso.datetime(),
    version: z.int(),
  })
  .meta({ id: 'Webhook' });
export type WebhookShape = z.infer<typeof WebhookShape>;

export const WebhookWithSecretShape = WebhookShape.extend({
  secret: z.string().meta({
    description:
      'It signs the deliveries, `whsec_...`. No later answer contains it; a rotation returns a new one.',
  }),
}).meta({ id: 'WebhookWithSecret' });
export type WebhookWithSecretShape = z.infer<typeof WebhookWithSecretShape>;

export const CreateWebhookInput = z
  .object({
    url,
    types,
    description: visibleText(200).nullish(),
    gymId: uuid().nullish().meta({
      description:
        'Required from a SUPER_ADMIN; null: the events of all gyms. Every other caller may name only their own gym.',
    }),
  })
  .meta({ graphType: 'CreateWebhookInput' });

/** Absent fields are unchanged. */
export const UpdateWebhookInput = z
  .object({
    url: url.nullish(),
    types: types.nullish(),
    description: visibleText(200).nullish().meta({ description: 'Null removes the description.' }),
    active: z.boolean().nullish().meta({
      description: 'true switches the webhook on again; the deliveries that wait are then sent.',
    }),
    version: versionNumber.nullish(),
  })
  .meta({ graphType: 'UpdateWebhookInput' });

export const WebhookDeliveryShape = z
  .object({
    id: uuid(),
    eventId: uuid().meta({ description: 'The `webhook-id` of the requests.' }),
    type: z.string(),
    status: z.enum(DeliveryStatus).meta({
      description: 'PENDING: it is sent at `nextAttemptAt`. FAILED: it is not sent any more.',
    }),
    attempts: z
      .array(
        z
          .object({
            at: z.iso.datetime(),
            statusCode: z.int().nullable().meta({ description: 'Null if there was no answer.' }),
            durationMillis: z.int(),
            answer: z
              .string()
              .nullable()
              .meta({ description: "The beginning of the answer's body, at most 1 KiB." }),
            error: z
              .string()
              .nullable()
              .meta({ description: 'Why the attempt failed; null if the event was received.' }),
          })
          .meta({ graphType: 'WebhookAttempt' }),
      )
      .meta({ description: 'The latest 20 attempts, the oldest first.' }),
    nextAttemptAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'WebhookDelivery' });
export type WebhookDeliveryShape = z.infer<typeof WebhookDeliveryShape>;

export const DeliveriesQuery = pageQuery.extend({
  status: z
    .enum(DeliveryStatus, 'expected PENDING, DELIVERED or FAILED')
    .optional()
    .meta({ description: 'Only deliveries with this status.' }),
});
/** The rule checks the filter, for every door. */
export const DeliveriesFilter = z.object({
  status: z.enum(DeliveryStatus, 'expected PENDING, DELIVERED or FAILED').nullish(),
});

/** The rule checks the filter, because an `ID` of the graph may be any text. */
export const WebhooksFilter = z.object({ gymId: uuid('expected the id of a gym').nullish() });

export const ReplayInput = z.object({
  from: instant.meta({ description: 'The beginning of the period whose events are sent again.' }),
  to: instant.meta({
    description: 'The end of that period, at most 30 days after `from`; an event at this moment is not sent.',
  }),
});

export const ReplayShape = z
  .object({ deliveries: z.int().meta({ description: 'The number of events that are sent again.' }) })
  .meta({ id: 'WebhookReplay' });
export type ReplayShape = z.infer<typeof ReplayShape>;
