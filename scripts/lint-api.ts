/**
 * Checks the OpenAPI documents of the six services and of the gateway with the recommended rules of Redocly and Spectral,
 * and the AsyncAPI documents with Spectral's. Any error or warning is printed, with exit code 1.
 *
 *     npm run lint:api
 */
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';
import { asyncApiDocuments, openApiDocuments, type ApiDocument } from './api-documents.ts';

const { Spectral } = spectralCore;
const { oas, asyncapi } = spectralRulesets;

/** `/users/me` and `/users/:id` are not ambiguous: the servers match fixed words first, and ids are UUIDs. */
const NOT_APPLIED = { 'no-ambiguous-paths': 'off' } as const;

async function byRedocly({ name, text }: ApiDocument): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'], rules: NOT_APPLIED });
  const problems = await lintFromString({ source: text, absoluteRef: `${name}.json`, config });
  return problems.map(
    ({ ruleId, message, location }) =>
      `${name}: redocly ${ruleId}: ${message} (${location[0]?.pointer ?? ''})`,
  );
}

/** The documents name the authors, who have published no email address. */
const NO_CONTACT_DATA = { 'asyncapi-info-contact-properties': 'off' };

async function bySpectral(
  { name, text }: ApiDocument,
  ruleset: object,
  rules: object = {},
): Promise<string[]> {
  const spectral = new Spectral();
  // The package does not export the type of a ruleset.
  spectral.setRuleset({ extends: [[ruleset, 'recommended']], rules } as never);
  const problems = await spectral.run(text);
  return problems.map(
    ({ code, message, path }) => `${name}: spectral ${code}: ${message} (${path.join('/')})`,
  );
}

const [rest, sockets] = [openApiDocuments(), asyncApiDocuments()];
const problems = [
  ...(await Promise.all(rest.map(byRedocly))),
  ...(await Promise.all(rest.map((document) => bySpectral(document, oas)))),
  ...(await Promise.all(sockets.map((document) => bySpectral(document, asyncapi, NO_CONTACT_DATA)))),
].flat();
for (const problem of problems) console.error(problem);
console.log(`${rest.length + sockets.length} documents, ${problems.length} problems`);
if (problems.length > 0) process.exitCode = 1;
