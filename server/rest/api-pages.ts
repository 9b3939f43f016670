import { createRequire } from 'node:module';
import path from 'node:path';
import express, { type Express, type Request } from 'express';

const require = createRequire(import.meta.url);

/**
 * Serves the OpenAPI document at `GET /openapi.json` and, at `GET /docs`, a page to read and try every operation, which loads
 * nothing from other hosts.
 * @param documentOf the document's text for one request
 * @param collapsed whether the page first shows only the tags. Default false.
 */
export function mountApiPages(
  app: Express,
  title: string,
  documentOf: (req: Request) => Promise<string>,
  { collapsed = false }: { collapsed?: boolean } = {},
): void {
  app.get(
    '/openapi.json',
    async (req, res) =>
      void res
        .vary('Host')
        .type('application/json')
        .send(await documentOf(req)),
  );
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
