import { EndedSessions } from '../auth/ended-sessions.ts';
import { OtherIssuers } from '../auth/other-issuers.ts';
import { JwksKeys } from '../auth/jwks-keys.ts';
import type { ServiceTokens } from '../auth/service-tokens.ts';
import { TokenVerifier } from '../auth/token-verifier.ts';
import type { AnySubgraph } from '../define-subgraph.ts';
import type { Logger } from '../observability/logger.ts';
import type { ServerSettings } from '../settings.ts';
import type { Rules } from './rules.ts';

interface OpenTokenVerifier {
  readonly verifier: TokenVerifier;
  stop(): void;
}

/** Opens a verifier with the service's own keys if it declares some (identity does), else with those of identity. */
export async function openTokenVerifier(
  subgraph: AnySubgraph,
  { base: { settings, serviceTokens, log }, resources }: Rules,
): Promise<OpenTokenVerifier> {
  const own = subgraph.tokenChecks?.(resources);
  if (!own) return openIdentityVerifier(settings, serviceTokens, log);
  const otherIssuers = await OtherIssuers.read(settings.jwtIssuersFile, settings.jwtIssuer);
  return {
    verifier: new TokenVerifier({ ...issuedBy(settings), ...own, otherIssuers }),
    stop: () => undefined,
  };
}

/** Opens a verifier with the keys and the list of ended sessions that identity publishes. */
export async function openIdentityVerifier(
  settings: ServerSettings,
  tokens: ServiceTokens,
  log: Logger,
): Promise<OpenTokenVerifier> {
  const { identityUrl } = settings;
  const otherIssuers = await OtherIssuers.read(settings.jwtIssuersFile, settings.jwtIssuer);
  const endedSessions = new EndedSessions({ identityUrl, tokens, log });
  const keys = new JwksKeys(`${identityUrl}/.well-known/jwks.json`);
  return {
    verifier: new TokenVerifier({
      ...issuedBy(settings),
      keys,
      isRevoked: endedSessions.isRevoked,
      otherIssuers,
    }),
    stop: () => endedSessions.stop(),
  };
}

const issuedBy = ({ jwtIssuer: issuer, jwtAudience: audience }: ServerSettings) => ({ issuer, audience });
