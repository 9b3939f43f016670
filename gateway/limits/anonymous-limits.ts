import { ANONYMOUS_COST_SHARE } from '#server/graphql/cost.ts';
import { ANONYMOUS_LIMITS, OPERATION_LIMITS, type OperationLimits } from '#server/graphql/limits.ts';
import type { GatewaySettings } from '../settings.ts';
import { isOwnSupergraph } from '../supergraph/subgraph-urls.ts';

/** The size and cost limits of an operation of a caller without a token. */
export interface AnonymousLimits {
  readonly anonymousLimits: OperationLimits;
  readonly anonymousCostLimit: number;
}

/** Another supergraph's callers have no accounts of the platform, so the narrower limits do not apply to them. */
export const anonymousLimitsOf = (
  settings: Pick<GatewaySettings, 'supergraph' | 'costLimit'>,
): AnonymousLimits =>
  isOwnSupergraph(settings)
    ? {
        anonymousLimits: ANONYMOUS_LIMITS,
        anonymousCostLimit: settings.costLimit * ANONYMOUS_COST_SHARE,
      }
    : { anonymousLimits: OPERATION_LIMITS, anonymousCostLimit: settings.costLimit };
