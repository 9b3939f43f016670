import type { Express, Request } from 'express';
import type { GraphQLSchema } from 'graphql';
import { mountPage } from '#server/http/allowed-methods.ts';
import type { RequestOrigins } from '#server/http/request-origin.ts';
import type { JsonObject } from '#server/json-object.ts';
import type { Logger } from '#server/observability/logger.ts';
import { mountApiPages } from '#server/rest/api-pages.ts';
import { documentFor, IDENTITY_URL, SERVER_URL } from '#server/served-document.ts';
import { SERVICE_NAMES } from '#server/settings.ts';
import type { GatewaySettings } from '../settings.ts';
import { isOwnSupergraph } from '../supergraph/subgraph-urls.ts';
import { asyncApiPage } from './asyncapi-page.ts';
import { gatewayAsyncApi } from './gateway-asyncapi.ts';
import { gatewayOpenApi, GRAPH_ALONE } from './gateway-openapi.ts';
import { mergeAsyncApi } from './merge-asyncapi.ts';
import { completeness, mergeOpenApi } from './merge-openapi.ts';
import { ServiceDocuments, type ServiceDocument } from './service-documents.ts';

interface DocumentsOptions {
  log: Logger;
  origins: RequestOrigins;
  /** The schema that clients see now. */
  apiSchema(): GraphQLSchema;
}

/**
 * One document for all services: `GET /openapi.json` with its page `GET /docs`, and `GET /asyncapi.json` with its page
 * `GET /asyncapi`, merged from the documents of the running services. For a service that is down, the last known document
 * is used, if there is one; `x-services` says so.
 */
export function mountDocuments(
  app: Express,
  settings: GatewaySettings,
  { log, origins, apiSchema }: DocumentsOptions,
): void {
  // With another supergraph the platform's services are not behind the gateway.
  const isOurs = isOwnSupergraph(settings);
  const rest = new ServiceDocuments('/openapi.json', isOurs ? SERVICE_NAMES : [], settings, log);
  const sockets = new ServiceDocuments('/asyncapi.json', isOurs ? ['squad'] : [], settings, log);

  const ownRest = isOurs ? gatewayOpenApi : { ...gatewayOpenApi, info: GRAPH_ALONE };
  const served = (text: string) =>
    documentFor(text.replaceAll(IDENTITY_URL, `${SERVER_URL}/identity`), origins, '');
  const openApi = cachedByDocuments((services) =>
    served(JSON.stringify({ ...mergeOpenApi(ownRest, services), 'x-services': completeness(services) })),
  );
  mountApiPages(app, {
    title: ownRest.info.title,
    served,
    documentOf: async (req) => openApi(await rest.all())(req),
    demo: settings.demo && isOurs,
  });

  const asyncApi = async (req: Request) => {
    const services = await sockets.all();
    const merged = mergeAsyncApi(gatewayAsyncApi(apiSchema()), services);
    return served(JSON.stringify({ ...merged, 'x-services': completeness(services) }))(req);
  };
  mountPage(
    app,
    '/asyncapi.json',
    async (req, res) =>
      void res
        .vary('Host')
        .type('application/json')
        .send(await asyncApi(req)),
  );
  mountPage(
    app,
    '/asyncapi',
    async (req, res) =>
      void res.type('html').send(asyncApiPage(JSON.parse(await asyncApi(req)) as JsonObject)),
  );
}

/** Caches the result of `make` until a service's document changes, because merging takes tens of milliseconds. */
function cachedByDocuments<Made>(
  make: (services: readonly ServiceDocument[]) => Made,
): (services: readonly ServiceDocument[]) => Made {
  let last: { services: readonly ServiceDocument[]; made: Made } | undefined;
  return (services) => {
    const isSame = last?.services.every(
      ({ document, state }, index) =>
        document === services[index]?.document && state === services[index]?.state,
    );
    if (!last || !isSame) last = { services, made: make(services) };
    return last.made;
  };
}
