import type { Express } from 'express';
import type { TokenVerifier } from '../auth/token-verifier.ts';
import type { AnySubgraph } from '../define-subgraph.ts';
import type { RequestOrigins } from '../http/request-origin.ts';
import { mountRoutes, unknownPath } from '../rest/mount-routes.ts';
import { problemHandler } from '../rest/problem.ts';
import type { RateLimitStores } from '../rest/rate-limit-store.ts';
import type { StartOptions } from './options.ts';
import type { Rules } from './rules.ts';

/** The parts of a started service that every door uses. */
export interface DoorHost {
  subgraph: AnySubgraph;
  options: StartOptions;
  rules: Rules;
  verifier: TokenVerifier;
  rateLimits: RateLimitStores;
  origins: RequestOrigins;
}

const REQUESTS_PER_MINUTE = 600;

/** The maximum number of requests per minute that a caller may send to all paths of one door together; undefined if there is no limit. */
export const generalLimitOf = ({ options: { settings } }: DoorHost): number | undefined =>
  settings.rateLimits ? REQUESTS_PER_MINUTE : undefined;

/**
 * Mounts the REST routes, and the problem documents for unknown paths and thrown errors. Call it after everything else is
 * mounted.
 */
export function mountRest(app: Express, host: DoorHost): void {
  const { subgraph, options, rules, verifier, rateLimits } = host;
  mountRoutes(app, subgraph.rest, {
    verifier,
    begin: rules.begin,
    generalLimitPerMinute: generalLimitOf(host),
    rateLimitStore: rateLimits,
    verifyAnswers: options.verifyAnswers ?? false,
  });
  app.use(unknownPath);
  app.use(problemHandler);
}
