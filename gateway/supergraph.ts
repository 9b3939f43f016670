import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { StartError } from '#server/run.ts';
import { SERVICE_NAMES, urlOf, type ServiceName } from '#server/settings.ts';
import type { GatewaySettings } from './settings.ts';

const OWN_SUPERGRAPH = fileURLToPath(new URL('../schema/supergraph.graphql', import.meta.url));

export interface Supergraph {
  sdl: string;
  /** Where the requests of a subgraph go: for our own supergraph by the settings, for any other as the file says. */
  urlOf(subgraph: string, urlInFile: string | undefined): string;
}

/** Reads the supergraph file. @throws StartError naming the file. */
export async function readSupergraph(settings: GatewaySettings): Promise<Supergraph> {
  const file = settings.supergraph ?? OWN_SUPERGRAPH;
  const sdl = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new StartError(
      `The supergraph file ${file} cannot be read. Compose it with "npm run compose", or name another with SUPERGRAPH or --supergraph.`,
      { cause },
    );
  });
  return {
    sdl,
    urlOf(subgraph, urlInFile) {
      if (!settings.supergraph && isService(subgraph)) return `${urlOf(subgraph, settings)}/graphql`;
      if (!urlInFile)
        throw new StartError(`The supergraph file ${file} names no URL for the subgraph "${subgraph}".`);
      return urlInFile;
    },
  };
}

const isService = (name: string): name is ServiceName => SERVICE_NAMES.some((service) => service === name);
