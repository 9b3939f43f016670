import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import express, { type Express, type Request } from 'express';
import { DEMO_PASSWORD, DEMO_PEOPLE } from '../demo-ids.ts';
import { mountPage } from '../http/allowed-methods.ts';
import { IDENTITY_URL } from '../served-document.ts';

const require = createRequire(import.meta.url);

interface ApiPagesOptions {
  title: string;
  /** Fills the placeholders of a text in for one request; see `documentFor`. */
  served(text: string): (req: Request) => string;
  /** The OpenAPI document for one request. */
  documentOf(req: Request): Promise<string>;
  /** Whether the page offers the demo accounts for the log-in. */
  demo: boolean;
}

/**
 * Serves the OpenAPI document at `GET /openapi.json` and, at `GET /docs`, a page with a log-in to read and try every operation.
 * The page is Scalar's, and loads nothing from other hosts; only the log-in is sent to the identity service.
 */
export function mountApiPages(app: Express, { title, served, documentOf, demo }: ApiPagesOptions): void {
  const page = served(pageOf(title, demo));
  const policy = served(POLICY);
  mountPage(
    app,
    '/openapi.json',
    async (req, res) =>
      void res
        .vary('Host')
        .type('application/json')
        .send(await documentOf(req)),
  );
  mountPage(
    app,
    '/docs',
    (req, res) =>
      void res.vary('Host').setHeader('Content-Security-Policy', policy(req)).type('html').send(page(req)),
  );
  mountPage(app, '/docs/scalar.js', (_req, res) => res.sendFile(SCALAR, { maxAge: '1d' }));
  app.use('/docs/app', express.static(fileURLToPath(new URL('api-page', import.meta.url)), { index: false }));
}

// The package exports no path of its bundle for browsers, which is in the folder of its main module.
const SCALAR = path.join(path.dirname(require.resolve('@scalar/api-reference')), 'browser/standalone.js');

/** Allows only scripts of this server, and requests to it and to identity. Scalar creates inline styles. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  `connect-src 'self' ${IDENTITY_URL}/auth/`,
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  "img-src 'self' data: blob:",
  "worker-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

function pageOf(title: string, demo: boolean): string {
  const settings = {
    identity: IDENTITY_URL,
    demoAccounts: demo
      ? DEMO_PEOPLE.map(({ email, displayName, role }) => ({ email, displayName, role }))
      : [],
    ...(demo && { demoPassword: DEMO_PASSWORD }),
  };
  return readFileSync(new URL('api-page/docs.html', import.meta.url), 'utf8')
    .replaceAll('[[title]]', title)
    .replace('[[settings]]', () => JSON.stringify(settings).replaceAll('<', String.raw`\u003c`));
}
