import { fileURLToPath } from 'node:url';
import type { ServiceTokens } from '#server/auth/service-tokens.ts';
import type { Logger } from '#server/observability/logger.ts';
import { SERVICE_NAMES, urlOf } from '#server/settings.ts';
import type { GatewaySettings } from '../settings.ts';
import { supergraphFile } from './file-source.ts';
import type { SupergraphSource } from './supergraph-source.ts';

const OWN_SUPERGRAPH = fileURLToPath(new URL('../../schema/supergraph.graphql', import.meta.url));

/** The value of `SUPERGRAPH` for a supergraph that is composed from the platform's running subgraphs. */
export const COMPOSE = 'compose';

/** The supergraph of the settings, watched for changes. @throws StartError with the file's name */
export async function openSupergraph(
  settings: GatewaySettings,
  log: Logger,
  tokens: ServiceTokens,
): Promise<SupergraphSource> {
  if (settings.supergraph !== COMPOSE) return supergraphFile(settings.supergraph ?? OWN_SUPERGRAPH, { log });
  const own = await supergraphFile(OWN_SUPERGRAPH, { log });
  own.stop();
  // Loaded only if needed, because the composition package takes half a second to load.
  const { composedSupergraph } = await import('./composed-source.ts');
  return composedSupergraph({
    first: own.current,
    subgraphs: Object.fromEntries(SERVICE_NAMES.map((name) => [name, `${urlOf(name, settings)}/graphql`])),
    tokens,
    pollMillis: settings.supergraphPollMillis,
    log,
  });
}
