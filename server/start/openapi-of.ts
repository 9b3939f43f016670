import type { AnySubgraph } from '../define-subgraph.ts';
import { webhooksObject } from '../events/openapi-webhooks.ts';
import { withGraphDescriptions } from '../graph-descriptions.ts';
import type { JsonObject } from '../json-object.ts';
import { openApiDocument } from '../rest/openapi.ts';

/** The OpenAPI document of a service, with examples, webhooks and the descriptions of the graph. `documentFor` fills in the addresses. */
export function openApiOf(subgraph: AnySubgraph): JsonObject {
  const { name, rest, examples, events, deliversWebhooks = false } = subgraph;
  const webhooks = events && webhooksObject(events, deliversWebhooks);
  return withGraphDescriptions(name, openApiDocument(subgraph, rest, examples, webhooks));
}
