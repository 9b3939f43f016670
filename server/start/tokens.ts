import { EndedSessions } from '../auth/ended-sessions.ts';
import { JwksKeys } from '../auth/jwks-keys.ts';
import { TokenVerifier } from '../auth/token-verifier.ts';
import type { AnySubgraph } from '../define-subgraph.ts';
import type { Rules } from './rules.ts';

/** Checks access tokens: with the service's own keys if it declares some (identity), else with those that identity publishes. */
export function openTokenChecks(
  subgraph: AnySubgraph,
  { base: { settings, serviceTokens, log }, resources }: Rules,
): { verifier: TokenVerifier; stop(): void } {
  const issued = { issuer: settings.jwtIssuer, audience: settings.jwtAudience };
  const own = subgraph.tokenChecks?.(resources);
  if (own) return { verifier: new TokenVerifier({ ...issued, ...own }), stop: () => undefined };
  const endedSessions = new EndedSessions({ identityUrl: settings.identityUrl, tokens: serviceTokens, log });
  const keys = new JwksKeys(`${settings.identityUrl}/.well-known/jwks.json`);
  return {
    verifier: new TokenVerifier({ ...issued, keys, isRevoked: endedSessions.isRevoked }),
    stop: () => endedSessions.stop(),
  };
}
