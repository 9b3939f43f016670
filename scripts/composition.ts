import { readFileSync } from 'node:fs';
import { composeServices, type CompositionResult } from '@apollo/composition';
import { SERVICE_NAMES, SERVICE_PORTS } from '#server/settings.ts';
import { parsedSchema, SchemaError } from './schema-source.ts';

const schemaOf = (name: string) => {
  const file = `schema/${name}.graphql`;
  return parsedSchema(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'), file);
};

/** Composes the schemas of all services, schema/<service>.graphql, into the supergraph. */
export function composePlatform(): CompositionResult {
  try {
    return composeServices(
      SERVICE_NAMES.toSorted().map((name) => ({
        name,
        url: `http://127.0.0.1:${SERVICE_PORTS[name]}/graphql`,
        typeDefs: schemaOf(name),
      })),
    );
  } catch (error) {
    if (error instanceof SchemaError) return { errors: [error] };
    throw error;
  }
}

/** The warnings of a composition for the author of a schema change, without hints of the levels INFO and DEBUG. */
export const hintsOf = ({ hints }: CompositionResult): string[] =>
  (hints ?? [])
    .filter(({ definition }) => definition.level.name !== 'DEBUG' && definition.level.name !== 'INFO')
    .map(({ message }) => message);
