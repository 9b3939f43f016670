import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { BrowserPage } from '#server/define-subgraph.ts';
import type { ServerSettings } from '#server/settings.ts';
import { CLIENT_EVENTS, CLOSE_CODES, SERVER_EVENTS, type ProtocolEvent } from '../socket/protocol.ts';

/** `GET /demo` (with demo data), a page for training together in two windows, and `GET /asyncapi`, the protocol's page. */
export function pages({
  identityUrl,
  contentUrl,
  demo: hasDemoAccounts,
}: ServerSettings): Record<string, BrowserPage> {
  const identity = new URL(identityUrl);
  // The page logs in at identity and reads exercises from content. At squad's own port both are other origins, which the
  // policy must allow.
  const policy = `default-src 'self'; connect-src 'self' ws: wss: http://${identity.hostname}:* http://localhost:* http://127.0.0.1:*; img-src 'self' data:; style-src 'self'; script-src 'self'; base-uri 'none'; frame-ancestors 'none'`;
  const demo = file('demo.html')
    .replace('{{identityPort}}', identity.port || '80')
    .replace('{{contentPort}}', new URL(contentUrl).port || '80');
  return {
    ...(hasDemoAccounts && {
      '/demo': { type: 'html', text: demo, headers: { 'Content-Security-Policy': policy } },
      '/demo/demo.js': { type: 'js', text: file('demo.js') },
    }),
    '/demo/demo.css': { type: 'css', text: file('demo.css') },
    '/asyncapi': { type: 'html', text: protocolPage(hasDemoAccounts) },
  };
}

const file = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

const protocolPage = (hasDemo: boolean): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The raw socket of the squad service</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="demo/demo.css">
</head>
<body class="reference">
<header><h1>The raw socket</h1><p><code>/socket</code>, sub-protocol <code>squad.v1</code>. The same as an <a href="asyncapi.json">AsyncAPI 3 document</a>${hasDemo ? '; try it on the <a href="demo">live page</a>' : ''}.</p></header>
<main>
<section class="card"><h2>Frames</h2>
<p>A client sends <code>{"event", "data", "id"?}</code>. A frame with an <code>id</code> is answered by <code>{"event": "ack", "id", "data"}</code> or <code>{"event": "error", "id", "data": {"code", "message", "errors"?}}</code>. The server pushes <code>{"event", "data", "seq"}</code>.</p></section>
<h2>From the client</h2>
${CLIENT_EVENTS.map(eventCard).join('\n')}
<h2>From the server</h2>
${SERVER_EVENTS.map(eventCard).join('\n')}
<section class="card"><h2>Close codes</h2>
<div class="scroll" role="region" aria-label="Close codes" tabindex="0"><table><thead><tr><th>Code</th><th>Name</th><th>Meaning</th><th>What to do</th></tr></thead><tbody>
${CLOSE_CODES.map(({ code, name, meaning, next }) => `<tr><td>${code}</td><td><code>${name}</code></td><td>${meaning}</td><td>${next}</td></tr>`).join('\n')}
</tbody></table></div></section>
</main>
</body>
</html>
`;

const eventCard = ({
  name,
  summary,
  data,
  ack,
}: ProtocolEvent): string => `<section class="card" id="${name}"><h3><code>${name}</code></h3><p>${summary}</p>
<details><summary>data${ack ? ' and ack' : ''}</summary><pre tabindex="0">${schemaText(data, 'input')}</pre>${ack ? `<pre tabindex="0">${schemaText(ack, 'output')}</pre>` : ''}</details></section>`;

function schemaText(shape: z.ZodType, io: 'input' | 'output'): string {
  const { $schema: _unused, ...schema } = z.toJSONSchema(shape, {
    io,
    unrepresentable: 'any',
    reused: 'inline',
  });
  return JSON.stringify(schema, null, 2).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
