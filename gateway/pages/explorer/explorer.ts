import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import express, { type Express } from 'express';
import { serveStatic } from 'ruru/static';
import { DEMO_PASSWORD, DEMO_PEOPLE } from '#server/demo-ids.ts';
import { mountPage } from '#server/http/allowed-methods.ts';
import type { GatewaySettings } from '../../settings.ts';
import { isOwnSupergraph } from '../../supergraph/subgraph-urls.ts';

const require = createRequire(import.meta.url);

/**
 * GraphiQL at `GET /explorer`, with subscriptions, files and a log-in. Everything comes from this server: GraphiQL and
 * the WebSocket client from their packages, the rest from the modules in `browser/`. The page has no inline script.
 */
export function mountExplorer(app: Express, settings: GatewaySettings): void {
  const html = read('explorer.html').replace('{{settings}}', () => pageSettings(settings));
  app.use(serveStatic('/explorer/graphiql/')); // GraphiQL as packed by ruru
  app.use('/explorer/graphql-ws', express.static(path.dirname(require.resolve('graphql-ws/client')), STATIC));
  app.use('/explorer/app', express.static(fileURLToPath(new URL('browser', import.meta.url)), STATIC));
  mountPage(
    app,
    '/explorer',
    (_req, res) => void res.setHeader('Content-Security-Policy', POLICY).type('html').send(html),
  );
}

const STATIC = { index: false, redirect: false } as const;

/** Allows only scripts of this server, and no other host. Inline styles are allowed, because the editor creates them. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "connect-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page's settings. With another supergraph it has neither the platform's log-in nor its examples. */
function pageSettings(gateway: GatewaySettings): string {
  const isOurs = isOwnSupergraph(gateway);
  const demoAccounts =
    gateway.demo && isOurs
      ? DEMO_PEOPLE.map(({ email, displayName, role }) => ({ email, displayName, role }))
      : [];
  const settings = {
    isOurs,
    demoAccounts,
    ...(demoAccounts.length > 0 && { demoPassword: DEMO_PASSWORD }),
  };
  return JSON.stringify(settings).replaceAll('<', String.raw`\u003c`);
}

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');
