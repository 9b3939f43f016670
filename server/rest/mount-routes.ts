import type { Express, RequestHandler } from 'express';
import { PlatformError } from '../errors.ts';
import { otherMethods } from '../http/allowed-methods.ts';
import { expressHandler } from './express-exchange.ts';
import { sendProblem } from './problem.ts';
import type { HandledRoute } from './route-handler.ts';
import type { RestMethod } from './route.ts';

/** Mounts routes with their handlers. Other methods of their paths are answered by `otherMethods`. */
export function mountRoutes(app: Express, routes: readonly HandledRoute[]): void {
  for (const { route, handle } of routes)
    app[route.method.toLowerCase() as Lowercase<RestMethod>](route.path, expressHandler(route, handle));
  answerOtherMethods(
    app,
    routes.map(({ route }) => route),
  );
}

function answerOtherMethods(app: Express, routes: readonly { path: string; method: RestMethod }[]): void {
  // `/locations/check-in` is registered before `/locations/:id`, so that a 405 lists the methods of the more specific path.
  const bySpecificity = routes.toSorted((a, b) => parameterCount(a.path) - parameterCount(b.path));
  for (const [path, declared] of Map.groupBy(bySpecificity, (route) => route.path)) {
    app.all(path, otherMethods(declared.map((route) => route.method)));
  }
}

const parameterCount = (path: string): number => path.split('/:').length - 1;

/** Answers 404 to every path that no route serves. */
export const unknownPath: RequestHandler = (req, res) =>
  sendProblem(
    res,
    new PlatformError(
      'NOT_FOUND',
      `Nothing is served at ${req.path.slice(0, 200)}; GET /docs lists all paths.`,
    ),
    req.originalUrl,
  );
