import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import type { EventShapes } from './event-log.ts';
import { declarationOf, EVENT_TYPE_NAMES, type EventType } from './event-types.ts';
import { EventShape } from './events.shapes.ts';

/** The headers of the Standard Webhooks specification, https://www.standardwebhooks.com. */
const HEADERS = z.object({
  'webhook-id': z.string().meta({
    description:
      'The id of the event, the same at every attempt: ignore an event that you have received already.',
  }),
  'webhook-timestamp': z
    .string()
    .meta({ description: 'The time of the attempt, in seconds since 1970. Refuse old ones.' }),
  'webhook-signature': z.string().meta({
    description:
      'One signature, or two during a rotation of the secret, separated by a space: `v1,` and the base64 of the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` with the decoded secret. The libraries of Standard Webhooks verify it.',
  }),
});

/**
 * The `webhooks` of an OpenAPI document: one for each type of event.
 * @param shapes the data of the types that the service writes
 * @param all whether the document also has the types of other services, whose documents describe their data
 */
export function webhooksObject(shapes: EventShapes, all: boolean): ZodOpenApiPathsObject {
  const types = EVENT_TYPE_NAMES.filter((type) => all || shapes[type]);
  return Object.fromEntries(types.map((type) => [type, { post: webhook(type, shapes[type]) }]));
}

function webhook(type: EventType, shape: z.ZodType | undefined): ZodOpenApiOperationObject {
  const { scope, description, writers } = declarationOf(type);
  const data =
    shape ??
    z.record(z.string(), z.unknown()).meta({
      description: `The OpenAPI document of the ${writers[0]} service describes the data.`,
    });
  return {
    operationId: `on${type.replaceAll(/(?:^|[._])(\w)/g, (_all, letter: string) => letter.toUpperCase())}`,
    tags: ['Events'],
    security: [], // the receiver verifies the signature
    summary: type,
    description: `${description}${scope ? ` A machine client needs the scope \`${scope}\`.` : ''}`,
    requestParams: { header: HEADERS },
    requestBody: {
      content: { 'application/json': { schema: EventShape.extend({ type: z.literal(type), data }) } },
    },
    responses: { '2XX': { description: 'The event was received.' } },
  };
}
