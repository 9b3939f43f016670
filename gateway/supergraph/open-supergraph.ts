import { fileURLToPath } from 'node:url';
import type { ServiceTokens } from '#server/auth/service-tokens.ts';
import type { Logger } from '#server/observability/logger.ts';
import { SERVICE_NAMES, urlOf } from '#server/settings.ts';
import type { GatewaySettings } from '../settings.ts';
import { supergraphFile } from './file-source.ts';
import type { SupergraphSource } from './supergraph-source.ts';

const OWN_SUPERGRAPH = fileURLToPath(new URL('../../schema/supergraph.graphql', import.meta.url));

/** What `SUPERGRAPH` says for a supergraph that is composed from the platform's running subgraphs. */
export const COMPOSE = 'compose';

/** The supergraph that the settings name, watched for changes. @throws StartError naming the file. */
export async function openSupergraph(
  settings: GatewaySettings,
  log: Logger,
  tokens: ServiceTokens,
): Promise<SupergraphSource> {
  if (settings.supergraph !== COMPOSE) return supergraphFile(settings.supergraph ?? OWN_SUPERGRAPH, { log });
  const own = await supergraphFile(OWN_SUPERGRAPH, { log });
  own.stop();
  // Loaded only if it is needed: composition needs half a second to load, and a package that nothing else needs.
  const { composedSupergraph } = await import('./composed-source.ts');
  return composedSupergraph({
    first: own.current,
    subgraphs: Object.fromEntries(SERVICE_NAMES.map((name) => [name, `${urlOf(name, settings)}/graphql`])),
    tokens,
    pollMillis: settings.supergraphPollMillis,
    log,
  });
}
