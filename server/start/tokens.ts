import { EndedSessions } from '../auth/ended-sessions.ts';
import { JwksKeys } from '../auth/jwks-keys.ts';
import type { ServiceTokens } from '../auth/service-tokens.ts';
import { TokenVerifier } from '../auth/token-verifier.ts';
import type { AnySubgraph } from '../define-subgraph.ts';
import type { Logger } from '../observability/logger.ts';
import type { ServerSettings } from '../settings.ts';
import type { Rules } from './rules.ts';

/** Opens the check of access tokens, with the service's own keys if it declares some (identity does), else with identity's. */
export function openTokenChecks(
  subgraph: AnySubgraph,
  { base: { settings, serviceTokens, log }, resources }: Rules,
): { verifier: TokenVerifier; stop(): void } {
  const own = subgraph.tokenChecks?.(resources);
  if (!own) return openIdentityChecks(settings, serviceTokens, log);
  return { verifier: new TokenVerifier({ ...issuedBy(settings), ...own }), stop: () => undefined };
}

/** Opens the check of access tokens with the keys and the list of ended sessions that identity publishes. */
export function openIdentityChecks(
  settings: ServerSettings,
  tokens: ServiceTokens,
  log: Logger,
): { verifier: TokenVerifier; stop(): void } {
  const { identityUrl } = settings;
  const endedSessions = new EndedSessions({ identityUrl, tokens, log });
  const keys = new JwksKeys(`${identityUrl}/.well-known/jwks.json`);
  return {
    verifier: new TokenVerifier({ ...issuedBy(settings), keys, isRevoked: endedSessions.isRevoked }),
    stop: () => endedSessions.stop(),
  };
}

const issuedBy = ({ jwtIssuer: issuer, jwtAudience: audience }: ServerSettings) => ({ issuer, audience });
