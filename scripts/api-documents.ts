import { readFileSync } from 'node:fs';
import { Supergraph } from '@apollo/federation-internals';
import type { GraphQLSchema } from 'graphql';
import { RequestOrigins } from '#server/http/request-origin.ts';
import type { JsonObject } from '#server/json-object.ts';
import { openApiOf } from '#server/start/openapi-of.ts';
import { documentFor } from '#server/served-document.ts';
import { gatewayAsyncApi } from '../gateway/api-documents/gateway-asyncapi.ts';
import { gatewayOpenApi } from '../gateway/api-documents/gateway-openapi.ts';
import { mergeAsyncApi } from '../gateway/api-documents/merge-asyncapi.ts';
import { mergeOpenApi } from '../gateway/api-documents/merge-openapi.ts';
import type { ServiceDocument } from '../gateway/api-documents/service-documents.ts';
import { subgraphs } from '../subgraphs/index.ts';

/** A document of the API, as text. */
export interface ApiDocument {
  name: string;
  text: string;
}

/** The document as a client reads it, with addresses instead of the placeholders. */
const served = (name: string, document: object): ApiDocument => ({
  name,
  text: documentFor(
    JSON.stringify(document),
    new RequestOrigins([]),
    'http://identity.test',
  )({
    headers: { host: 'platform.test' },
    socket: { remoteAddress: '127.0.0.1' } as never, // the only field that is read
  }),
});

const serviceDocument = (service: ServiceDocument['service'], document: object): ServiceDocument => ({
  service,
  state: 'current',
  document: document as JsonObject,
});

/** The OpenAPI documents of the services, and the gateway's at the end. */
export function openApiDocuments(): ApiDocument[] {
  const services = subgraphs.map((subgraph) => serviceDocument(subgraph.name, openApiOf(subgraph)));
  return [
    ...services.map(({ service, document = {} }) => served(`${service} openapi`, document)),
    served('gateway openapi', mergeOpenApi(gatewayOpenApi, services)),
  ];
}

/** The graph that clients of the gateway see. */
export function apiSchema(): GraphQLSchema {
  const sdl = readFileSync(new URL('../schema/supergraph.graphql', import.meta.url), 'utf8');
  return Supergraph.build(sdl, { supportedFeatures: null }).apiSchema().toGraphQLJSSchema();
}

/** The AsyncAPI documents of squad and of the gateway. */
export function asyncApiDocuments(): ApiDocument[] {
  const services = subgraphs.flatMap(({ name, documents }) =>
    documents?.['/asyncapi.json'] ? [serviceDocument(name, documents['/asyncapi.json'])] : [],
  );
  return [
    ...services.map(({ service, document = {} }) => served(`${service} asyncapi`, document)),
    served('gateway asyncapi', mergeAsyncApi(gatewayAsyncApi(apiSchema()), services)),
  ];
}
