import { StartError } from '#server/start-error.ts';
import { SERVICE_NAMES, urlOf, type ServiceName } from '#server/settings.ts';
import type { GatewaySettings } from '../settings.ts';
import { COMPOSE } from './open-supergraph.ts';

/** The URL of a subgraph: from the `<SERVICE>_URL` settings for the platform's own supergraph, else from the supergraph. */
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

/** The URL of the readiness of a service of the platform; undefined for other subgraphs. */
export const readyUrlOf = (name: string, settings: GatewaySettings): string | undefined =>
  isOwnSupergraph(settings) && isService(name) ? `${urlOf(name, settings)}/health/ready` : undefined;

/** The time limits of requests to a subgraph. */
export function timeLimitsOf(
  name: string,
  settings: GatewaySettings,
): { timeoutMillis: number; mutationTimeoutMillis: number } {
  const own = isOwnSupergraph(settings) && isService(name) ? settings[`${name}TimeoutMillis`] : undefined;
  return {
    timeoutMillis: own ?? settings.subgraphTimeoutMillis,
    mutationTimeoutMillis: settings.subgraphMutationTimeoutMillis,
  };
}

/** Whether the gateway serves the platform's own supergraph. */
export const isOwnSupergraph = ({ supergraph }: Pick<GatewaySettings, 'supergraph'>): boolean =>
  supergraph === undefined || supergraph === COMPOSE;

const isService = (name: string): name is ServiceName => SERVICE_NAMES.some((service) => service === name);
