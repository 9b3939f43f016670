/**
 * Writes the types of the TypeScript client from the OpenAPI document of the gateway, the AsyncAPI document of squad, and
 * the graph with the documents in `clients/typescript/graph`.
 *
 *     npm run clients                 # writes what has changed
 *     npm run clients -- --check      # writes nothing; prints the stale files, with exit code 1 if there are any
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import type { JsonObject } from '#server/json-object.ts';
import { asyncApiDocuments, openApiDocuments } from './api-documents.ts';
import { graphDocuments } from './graph-client.ts';

// openapi-typescript needs the JavaScript interface of the compiler, which TypeScript 7 does not have.
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === 'typescript' ? 'typescript-5' : specifier, context),
});
const { default: openapiTs, astToString } = await import('openapi-typescript');

const HEAD = '// Written by `npm run clients`; do not edit.\n\n';
const checkOnly = process.argv.includes('--check');
const stale: string[] = [];

const rest = JSON.parse(openApiDocuments().at(-1)?.text ?? '{}') as JsonObject;
write('rest.generated.ts', HEAD + astToString(await openapiTs(JSON.stringify(withOneError(rest)))));
write(
  'socket.generated.ts',
  HEAD + (await socketTypes(JSON.parse(asyncApiDocuments()[0]?.text ?? '{}') as AsyncApi)),
);
write('graph.generated.ts', HEAD + (await graphDocuments()));

for (const file of stale) console.log(`${checkOnly ? 'stale' : 'written'}: ${file}`);
if (checkOnly && stale.length > 0) {
  console.error('These files do not match the documents of the API. Run "npm run clients".');
  process.exitCode = 1;
}

/** Writes the file if its text has changed, and adds it to the stale ones. */
function write(name: string, text: string): void {
  const file = new URL(`../clients/typescript/${name}`, import.meta.url);
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  stale.push(`clients/typescript/${name}`);
  if (!checkOnly) writeFileSync(file, text);
}

interface Operation {
  parameters?: JsonObject[];
  responses: Record<string, { content?: JsonObject }>;
}

/**
 * The document without the parts from which no types are made, such as examples, and with one `default` answer instead of one
 * for each status of an error: all errors have the same shape.
 */
function withOneError(document: JsonObject): JsonObject {
  const paths = Object.entries(document.paths as Record<string, Record<string, Operation>>);
  return {
    ...document,
    paths: Object.fromEntries(
      paths.map(([path, item]) => [
        path,
        Object.fromEntries(
          Object.entries(item).map(([method, operation]) => {
            const { 'x-codeSamples': _samples, ...others } = operation as Operation & JsonObject;
            const responses = Object.entries(operation.responses);
            const [, failure] = responses.find(([status]) => Number(status) >= 400) ?? [];
            return [
              method,
              {
                ...others,
                ...(operation.parameters && {
                  parameters: operation.parameters.map(({ example: _example, ...parameter }) => parameter),
                }),
                responses: {
                  ...Object.fromEntries(responses.filter(([status]) => Number(status) < 300)),
                  ...(failure && { default: { ...failure, description: 'A problem.' } }),
                },
              },
            ];
          }),
        ),
      ]),
    ),
  };
}

interface Reference {
  $ref: string;
}
/** The parts of an AsyncAPI document that are read here. */
interface AsyncApi {
  operations: Record<
    string,
    { action: 'send' | 'receive'; messages: Reference[]; reply?: { messages: Reference[] } }
  >;
  components: {
    messages: Record<string, { payload: { properties: { data: JsonObject } } }>;
    schemas: Record<string, JsonObject>;
  };
}

/**
 * The types of a socket's events: the data that each event has, and the data of its ack. The actions of AsyncAPI are those of
 * the server: it receives what a client sends.
 */
async function socketTypes({ operations, components }: AsyncApi): Promise<string> {
  const nameOf = ({ $ref }: Reference) => $ref.split('/').at(-1) ?? '';
  const schemas = {
    ...components.schemas,
    ...Object.fromEntries(
      Object.entries(components.messages).map(([name, { payload }]) => [
        `${name}_data`,
        payload.properties.data,
      ]),
    ),
  };
  const document = {
    openapi: '3.1.0',
    info: { title: '', version: '1' },
    paths: {},
    components: { schemas },
  };
  const dataOf = (name: string) => `components['schemas']['${name}_data']`;
  const lines = (action: 'send' | 'receive', line: (name: string, ack: string) => string) =>
    Object.values(operations)
      .filter((operation) => operation.action === action)
      .map(({ messages: [own], reply }) =>
        line(own ? nameOf(own) : '', reply?.messages[0] ? nameOf(reply.messages[0]) : ''),
      )
      .join('\n');
  return `${astToString(await openapiTs(JSON.stringify(document)))}
/** What a client may send: the data of each event, and of its ack. */
export interface ClientEvents {
${lines('receive', (name, ack) => `    ${name}: { data: ${dataOf(name)}; ack: ${dataOf(ack)} };`)}
}
/** What the server pushes: the data of each event. */
export interface ServerEvents {
${lines('send', (name) => `    ${name}: ${dataOf(name)};`)}
}
`;
}
