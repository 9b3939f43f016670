import type { JsonObject } from '#server/json-object.ts';

type Reference = { $ref: string };
interface Operation {
  action: 'send' | 'receive';
  channel: Reference;
  summary?: string;
  messages: Reference[];
  reply?: { messages: Reference[] };
}
interface Message {
  name: string;
  title: string;
  summary?: string;
  payload: JsonObject;
}

/** An AsyncAPI 3 document as an HTML page: each channel with the messages of the client and of the server. */
export function asyncApiPage(document: JsonObject): string {
  // The cast: the gateway has made the document itself. The type has only the parts that the page needs.
  const { info, channels, operations } = document as unknown as {
    info: { title: string; description: string };
    channels: Record<string, { address: string; title?: string }>;
    operations: Record<string, Operation>;
  };
  const at = (reference: Reference): unknown =>
    reference.$ref
      .slice(2)
      .split('/')
      .reduce<unknown>((value, key) => (value as JsonObject | undefined)?.[key], document);
  const message = (reference: Reference): Message => {
    const found = at(reference) as Message | Reference;
    return '$ref' in found ? message(found) : found;
  };
  const card = ([id, operation]: [string, Operation]): string => {
    const [own, ...answers] = [...operation.messages, ...(operation.reply?.messages ?? [])].map(message);
    if (!own) return '';
    return `<section class="card" id="${text(id)}"><h3><code>${text(own.title)}</code></h3><p>${text(operation.summary ?? own.summary ?? '')}</p>
<details><summary>payload${answers.length > 0 ? ' and answers' : ''}</summary>${[own, ...answers.filter(({ name }) => !name.startsWith('next_'))].map(({ title, payload }) => `<p><code>${text(title)}</code></p><pre tabindex="0">${text(JSON.stringify(payload, null, 2))}</pre>`).join('')}</details></section>`;
  };
  const sections = Object.entries(channels).map(([name, { address, title }]) => {
    const own = Object.entries(operations).filter(([, { channel }]) => channel.$ref === `#/channels/${name}`);
    const fromClient = own.filter(([, { action }]) => action === 'receive');
    const fromServer = own.filter(([, { action }]) => action === 'send');
    return `<h2 id="${text(name)}">${text(title ?? name)} <code>${text(address)}</code></h2>
<h3>From the client</h3>
${fromClient.map(card).join('\n')}
<h3>From the server</h3>
${fromServer.map(card).join('\n')}`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sockets - fitness platform</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="pages/page.css">
</head>
<body>
<main>
<header><p><a href="./">Fitness platform</a></p><h1>${text(info.title)}</h1></header>
${info.description
  .split('\n\n')
  .map((paragraph) => `<p>${marked(paragraph)}</p>`)
  .join('\n')}
<p>The same as an <a href="asyncapi.json">AsyncAPI 3 document</a>. Channels: ${Object.entries(channels)
    .map(
      ([name, { address, title }]) =>
        `<a href="#${text(name)}">${text(title ?? name)}</a> <code>${text(address)}</code>`,
    )
    .join(', ')}.</p>
${sections.join('\n')}
</main>
</body>
</html>
`;
}

const text = (value: string): string =>
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** The Markdown that descriptions use: code and bold. */
const marked = (value: string): string =>
  text(value)
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/\*\*([^*]+)\*\*/g, '<b>$1</b>');
