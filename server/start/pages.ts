import type { Express } from 'express';
import { webhooksObject } from '../events/openapi-webhooks.ts';
import { mountHealth } from '../observability/health.ts';
import { mountMetrics } from '../observability/metrics-endpoint.ts';
import { mountApiPages } from '../rest/api-pages.ts';
import { openApiDocument } from '../rest/openapi.ts';
import type { ServiceDatabase } from './database.ts';
import type { DoorHost } from './doors.ts';

/** Mounts health, metrics, the documents of the API and the service's own pages. */
export function mountPages(
  app: Express,
  { subgraph, rules, rateLimits }: DoorHost,
  { database, isStopping }: { database: ServiceDatabase | undefined; isStopping(): boolean },
): void {
  const { settings, metrics } = rules.base;
  mountHealth(app, {
    checks: { ...(database && { database: database.check }), ...subgraph.health?.(rules.resources) },
    isStopping,
    isStuck: async () => (await database?.isStuck()) ?? false,
    losses: () => rateLimits.losses(),
  });
  mountMetrics(app, metrics, settings);
  const webhooks = subgraph.events && webhooksObject(subgraph.events, subgraph.deliversWebhooks ?? false);
  mountApiPages(app, subgraph.title, openApiDocument(subgraph, subgraph.rest, webhooks));
  for (const [path, document] of Object.entries(subgraph.documents ?? {}))
    app.get(path, (_req, res) => void res.json(document));
  for (const [path, { headers, type, text }] of Object.entries(subgraph.pages?.(settings) ?? {}))
    app.get(
      path,
      (_req, res) =>
        void res
          .set(headers ?? {})
          .type(type)
          .send(text),
    );
}
