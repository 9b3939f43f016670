import type { Express } from 'express';
import type { ChangeNotices } from '../changes/change-notices.ts';
import { mountPage } from '../http/allowed-methods.ts';
import { mountHealth } from '../observability/health.ts';
import { measureDataDir, measureLosses } from '../observability/server-metrics.ts';
import { mountMetrics } from '../observability/metrics-endpoint.ts';
import { mountApiPages } from '../rest/api-pages.ts';
import { openApiOf } from './openapi-of.ts';
import { documentFor, IDENTITY_URL, SERVER_URL } from '../served-document.ts';
import type { ServiceDatabase } from './database.ts';
import { urlOf } from '../settings.ts';
import type { DoorHost } from './doors.ts';

/** Mounts health, metrics, the documents of the API and the service's own pages. */
export function mountPages(
  app: Express,
  { subgraph, rules, rateLimits, origins }: DoorHost,
  {
    database,
    changes,
    isStopping,
  }: {
    database: ServiceDatabase | undefined;
    changes: ChangeNotices | undefined;
    isStopping(): boolean;
  },
): void {
  const { settings, metrics } = rules.base;
  const losses = () => ({
    ...rateLimits.losses(),
    ...changes?.losses(),
    ...subgraph.losses?.(rules.resources),
  });
  measureLosses(metrics, losses);
  measureDataDir(settings);
  mountHealth(app, {
    checks: { ...(database && { database: database.check }) },
    isStopping,
    isStuck: async () => (await database?.isStuck()) ?? false,
    losses,
  });
  mountMetrics(app, metrics, settings);
  // In identity's own documents, the URL of identity is that of the server itself.
  const served = (text: string) =>
    subgraph.name === 'identity'
      ? documentFor(text.replaceAll(IDENTITY_URL, SERVER_URL), origins, '')
      : documentFor(text, origins, urlOf('identity', settings));
  const openApi = served(JSON.stringify(openApiOf(subgraph)));
  const { title } = subgraph;
  mountApiPages(app, { title, served, documentOf: async (req) => openApi(req), demo: settings.demo });
  for (const [path, document] of Object.entries(subgraph.documents ?? {})) {
    const textFor = served(JSON.stringify(document));
    mountPage(app, path, (req, res) => void res.vary('Host').type('application/json').send(textFor(req)));
  }
  for (const [path, { headers = {}, type, text }] of Object.entries(subgraph.pages?.(settings) ?? {})) {
    // Pages and their headers may have the placeholders of documents, too.
    const textFor = served(text);
    const headersFor = Object.entries(headers).map(([name, value]) => [name, served(value)] as const);
    mountPage(app, path, (req, res) => {
      for (const [name, valueFor] of headersFor) res.setHeader(name, valueFor(req));
      res.vary('Host').type(type).send(textFor(req));
    });
  }
}
