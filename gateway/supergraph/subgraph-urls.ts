import { StartError } from '#server/start-error.ts';
import { SERVICE_NAMES, urlOf, type ServiceName } from '#server/settings.ts';
import type { GatewaySettings } from '../settings.ts';
import { COMPOSE } from './open-supergraph.ts';

/**
 * Where the requests of a subgraph go: for the platform's own supergraph as the `<SERVICE>_URL` settings say, for any
 * other as its file says.
 */
export function subgraphUrls(settings: GatewaySettings): (name: string, urlInFile: string) => string {
  const isOwn = isOwnSupergraph(settings);
  return (name, urlInFile) => {
    if (isOwn && isService(name)) return `${urlOf(name, settings)}/graphql`;
    if (URL.canParse(urlInFile)) return urlInFile;
    throw new StartError(
      `The supergraph gives no URL for the subgraph "${name}": got "${urlInFile}", expected one like http://host:port/graphql.`,
    );
  };
}

/** Whether the platform's own graph is served, and no other that somebody gave. */
export const isOwnSupergraph = ({ supergraph }: Pick<GatewaySettings, 'supergraph'>): boolean =>
  supergraph === undefined || supergraph === COMPOSE;

const isService = (name: string): name is ServiceName => SERVICE_NAMES.some((service) => service === name);
