import type { RequestListener } from 'node:http';
import type { Express } from 'express';
import type { TokenVerifier } from '../auth/token-verifier.ts';
import type { AnySubgraph } from '../define-subgraph.ts';
import type { RequestOrigins } from '../http/request-origin.ts';
import type { Tracing } from '../observability/tracing.ts';
import { Dispatcher } from '../rest/dispatcher.ts';
import { mountRoutes, unknownPath } from '../rest/mount-routes.ts';
import { problemHandler } from '../rest/problem.ts';
import { rateCounters } from '../rest/rate-limit.ts';
import type { RateLimitStores } from '../rest/rate-limit-store.ts';
import { handledRoutes } from '../rest/route-handler.ts';
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
  /** Undefined if tracing is off. */
  tracing: Tracing | undefined;
}

const REQUESTS_PER_MINUTE = 600;

/** The maximum number of requests per minute that a caller may send to all paths of one door together; undefined if there is no limit. */
export const generalLimitOf = ({ options: { settings } }: DoorHost): number | undefined =>
  settings.rateLimits ? REQUESTS_PER_MINUTE : undefined;

/**
 * Mounts the REST routes, and the problem documents for unknown paths and thrown errors. Call it after everything else is
 * mounted. Returns a listener that serves the usual requests to the routes, and passes all other requests to `others`. If
 * `usesFastPath` is false, it returns `others`.
 */
export function openRest(app: Express, host: DoorHost, others: RequestListener): RequestListener {
  const { subgraph, options, rules, verifier, rateLimits, origins } = host;
  const { settings, verifyAnswers = false, usesFastPath = true } = options;
  const routes = handledRoutes(subgraph.rest, {
    verifier,
    begin: rules.begin,
    counterOf: rateCounters(generalLimitOf(host), rateLimits),
    verifyAnswers,
  });
  mountRoutes(app, routes);
  app.use(unknownPath);
  app.use(problemHandler);
  if (!usesFastPath) return others;
  const { log, metrics } = rules.base;
  return new Dispatcher({ service: subgraph.name, routes, app, origins, log, metrics, settings }).listener(
    others,
  );
}
