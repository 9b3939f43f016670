import { readFileSync } from 'node:fs';
import { composeServices, type CompositionResult } from '@apollo/composition';
import { parse } from 'graphql';
import { SERVICE_NAMES, SERVICE_PORTS } from '#server/settings.ts';

/** Composes the schemas of all services, schema/<service>.graphql, into the supergraph. */
export const composePlatform = (): CompositionResult =>
  composeServices(
    SERVICE_NAMES.toSorted().map((name) => ({
      name,
      url: `http://127.0.0.1:${SERVICE_PORTS[name]}/graphql`,
      typeDefs: parse(readFileSync(new URL(`../schema/${name}.graphql`, import.meta.url), 'utf8')),
    })),
  );

/** The warnings of a composition for the author of a schema change, without hints of the levels INFO and DEBUG. */
export const hintsOf = ({ hints }: CompositionResult): string[] =>
  (hints ?? [])
    .filter(({ definition }) => definition.level.name !== 'DEBUG' && definition.level.name !== 'INFO')
    .map(({ message }) => message);
