import { createRequire } from 'node:module';
import path from 'node:path';
import express, { type Express } from 'express';

const require = createRequire(import.meta.url);

/**
 * Serves the OpenAPI document at `GET /openapi.json` and, at `GET /docs`, a page to read and try every operation, which loads
 * nothing from other hosts.
 * @param document a function, called for each request, if the document changes while the server runs
 * @param collapsed whether the page first shows only the tags. Default false.
 */
export function mountApiPages(
  app: Express,
  title: string,
  document: object | (() => Promise<string>),
  { collapsed = false }: { collapsed?: boolean } = {},
): void {
  const text = typeof document === 'function' ? document : alwaysText(JSON.stringify(document));
  app.get('/openapi.json', async (_req, res) => void res.type('application/json').send(await text()));
  app.get('/docs', (_req, res) => void res.type('html').send(page(title)));
  app.get('/docs/start.js', (_req, res) => void res.type('text/javascript').send(start(collapsed)));
  app.use(
    '/docs/assets',
    express.static(path.dirname(require.resolve('swagger-ui-dist/package.json')), {
      index: false,
      maxAge: '1d',
    }),
  );
}

const alwaysText = (text: string) => async () => text;

// URLs are relative, so that the page works under the gateway's prefix too.
const page = (title: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/assets/swagger-ui.css">
</head>
<body>
<div id="ui"></div>
<script src="docs/assets/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`;

const start = (collapsed: boolean): string =>
  `SwaggerUIBundle({ url: 'openapi.json', dom_id: '#ui', deepLinking: true, validatorUrl: null, persistAuthorization: true, tryItOutEnabled: true, docExpansion: '${collapsed ? 'none' : 'list'}', filter: ${collapsed} });\n`;
