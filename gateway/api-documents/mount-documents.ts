import type { Express, Request } from 'express';
import type { GraphQLSchema } from 'graphql';
import type { Logger } from '#server/observability/logger.ts';
import { mountApiPages } from '#server/rest/api-pages.ts';
import { SERVICE_NAMES } from '#server/settings.ts';
import type { GatewaySettings } from '../settings.ts';
import { isOwnSupergraph } from '../supergraph/subgraph-urls.ts';
import { asyncApiPage } from './asyncapi-page.ts';
import { gatewayAsyncApi } from './gateway-asyncapi.ts';
import { gatewayOpenApi, GRAPH_ALONE } from './gateway-openapi.ts';
import { mergeAsyncApi } from './merge-asyncapi.ts';
import { completeness, mergeOpenApi } from './merge-openapi.ts';
import { ServiceDocuments, type ServiceDocument } from './service-documents.ts';

export interface DocumentsOptions {
  log: Logger;
  /** The graph as clients see it now. */
  apiSchema(): GraphQLSchema;
}

/**
 * All services in one description each: `GET /openapi.json` with its page `GET /docs`, `GET /asyncapi.json` with its
 * page `GET /asyncapi`. Made of what the running services say of themselves. A service that is down is described as
 * last known, or not at all; `x-services` says which.
 */
export function mountDocuments(
  app: Express,
  settings: GatewaySettings,
  { log, apiSchema }: DocumentsOptions,
): void {
  // With a supergraph of somebody else's there are none of our services behind the gateway.
  const isOurs = isOwnSupergraph(settings);
  const rest = new ServiceDocuments('/openapi.json', isOurs ? SERVICE_NAMES : [], settings, log);
  const sockets = new ServiceDocuments('/asyncapi.json', isOurs ? ['squad'] : [], settings, log);

  const ownRest = isOurs ? gatewayOpenApi : { ...gatewayOpenApi, info: GRAPH_ALONE };
  const openApi = whileSame((services) =>
    JSON.stringify({ ...mergeOpenApi(ownRest, services), 'x-services': completeness(services) }),
  );
  mountApiPages(app, ownRest.info.title, async () => openApi(await rest.all()), { collapsed: true });

  const asyncApi = async (req: Request) => {
    const services = await sockets.all();
    const own = gatewayAsyncApi(apiSchema(), { host: req.host, secure: req.secure });
    return { ...mergeAsyncApi(own, services), 'x-services': completeness(services) };
  };
  app.get('/asyncapi.json', async (req, res) => void res.vary('Host').json(await asyncApi(req)));
  app.get('/asyncapi', async (req, res) => void res.type('html').send(asyncApiPage(await asyncApi(req))));
}

/** What was made last, for as long as the services say the same: merging takes tens of milliseconds. */
function whileSame<Made>(
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
