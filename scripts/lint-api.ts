/**
 * Checks the OpenAPI documents of the six services and of the gateway with the recommended rules of Redocly and Spectral, and
 * the AsyncAPI documents with Spectral's. Any error or warning is printed, with exit code 1.
 *
 *     npm run lint:api
 */
import { readFileSync } from 'node:fs';
import { Supergraph } from '@apollo/federation-internals';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';
import { RequestOrigins } from '#server/http/request-origin.ts';
import type { JsonObject } from '#server/json-object.ts';
import { openApiDocument } from '#server/rest/openapi.ts';
import { documentFor } from '#server/served-document.ts';
import { gatewayAsyncApi } from '../gateway/api-documents/gateway-asyncapi.ts';
import { gatewayOpenApi } from '../gateway/api-documents/gateway-openapi.ts';
import { mergeAsyncApi } from '../gateway/api-documents/merge-asyncapi.ts';
import { mergeOpenApi } from '../gateway/api-documents/merge-openapi.ts';
import type { ServiceDocument } from '../gateway/api-documents/service-documents.ts';
import { subgraphs } from '../subgraphs/index.ts';

const { Spectral } = spectralCore;
const { oas, asyncapi } = spectralRulesets;

interface Named {
  name: string;
  text: string;
}

/** A document as a client reads it. */
const served = (name: string, document: object): Named => ({
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

const current = (service: ServiceDocument['service'], document: object): ServiceDocument => ({
  service,
  state: 'current',
  document: document as JsonObject,
});

function openApiDocuments(): Named[] {
  const services = subgraphs.map((subgraph) =>
    current(subgraph.name, openApiDocument(subgraph, subgraph.rest, subgraph.examples)),
  );
  return [
    ...services.map(({ service, document = {} }) => served(`${service} openapi`, document)),
    served('gateway openapi', mergeOpenApi(gatewayOpenApi, services)),
  ];
}

function asyncApiDocuments(): Named[] {
  const sdl = readFileSync(new URL('../schema/supergraph.graphql', import.meta.url), 'utf8');
  const schema = Supergraph.build(sdl, { supportedFeatures: null }).apiSchema().toGraphQLJSSchema();
  const services = subgraphs.flatMap(({ name, documents }) =>
    documents?.['/asyncapi.json'] ? [current(name, documents['/asyncapi.json'])] : [],
  );
  return [
    ...services.map(({ service, document = {} }) => served(`${service} asyncapi`, document)),
    served('gateway asyncapi', mergeAsyncApi(gatewayAsyncApi(schema), services)),
  ];
}

/** `/users/me` and `/users/:id` are paths of the specification; the servers match fixed words first, and ids are UUIDs. */
const NOT_APPLIED = { 'no-ambiguous-paths': 'off' } as const;

async function byRedocly({ name, text }: Named): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'], rules: NOT_APPLIED });
  const problems = await lintFromString({ source: text, absoluteRef: `${name}.json`, config });
  return problems.map(
    ({ ruleId, message, location }) =>
      `${name}: redocly ${ruleId}: ${message} (${location[0]?.pointer ?? ''})`,
  );
}

/** The documents name the authors, who have published no email address. */
const NO_CONTACT_DATA = { 'asyncapi-info-contact-properties': 'off' };

async function bySpectral({ name, text }: Named, ruleset: object): Promise<string[]> {
  const spectral = new Spectral();
  // The package does not export the type of a ruleset.
  spectral.setRuleset({ extends: [[ruleset, 'recommended']], rules: NO_CONTACT_DATA } as never);
  const problems = await spectral.run(text);
  return problems.map(
    ({ code, message, path }) => `${name}: spectral ${code}: ${message} (${path.join('/')})`,
  );
}

const [rest, sockets] = [openApiDocuments(), asyncApiDocuments()];
const problems = [
  ...(await Promise.all(rest.map(byRedocly))),
  ...(await Promise.all(rest.map((document) => bySpectral(document, oas)))),
  ...(await Promise.all(sockets.map((document) => bySpectral(document, asyncapi)))),
].flat();
for (const problem of problems) console.error(problem);
console.log(`${rest.length + sockets.length} documents, ${problems.length} problems`);
if (problems.length > 0) process.exitCode = 1;
