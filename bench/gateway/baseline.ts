/**
 * The baseline: a minimal program in place of a gateway. It sends the fetches of a given plan and combines their answers,
 * without GraphQL, checks or logs. It is not optimised, so a gateway may take less time for a large response.
 * `node bench/gateway/baseline.ts <plan file> <origin of the subgraphs> <port>`
 */
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { Pool } from 'undici';

type JsonObject = Record<string, unknown>;
interface Node {
  kind: 'Sequence' | 'Parallel' | 'Flatten' | 'Fetch';
  nodes: Node[];
  node: Node;
  path: string[];
  serviceName: string;
  operation: string;
  variableUsages?: string[];
  requires?: { typeCondition: string; selections: { name: string }[] }[];
}

const [file = '', origin = '', port] = process.argv.slice(2);
const plan = JSON.parse(readFileSync(file, 'utf8')) as Node;
const pool = new Pool(origin, { connections: 128 });
const HEADERS = ['content-type', 'application/json'];

function post(service: string, body: string, authorization: string): Promise<JsonObject> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    pool.dispatch(
      { path: `/${service}`, method: 'POST', headers: [...HEADERS, 'authorization', authorization], body },
      {
        onRequestStart: () => undefined,
        onResponseStart: () => undefined,
        onResponseData: (_controller, chunk) => void chunks.push(chunk),
        onResponseEnd: () => {
          const text = chunks.length === 1 ? String(chunks[0]) : Buffer.concat(chunks).toString();
          resolve((JSON.parse(text) as { data: JsonObject }).data);
        },
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
}

function collect(value: unknown, path: readonly string[], at: number, found: JsonObject[]): void {
  if (value === null || value === undefined) return;
  if (at === path.length) found.push(value as JsonObject);
  else if (path[at] === '@') for (const element of value as unknown[]) collect(element, path, at + 1, found);
  else collect((value as JsonObject)[path[at] ?? ''], path, at + 1, found);
}

interface Context {
  data: JsonObject;
  variables: JsonObject;
  authorization: string;
}
type Step = (context: Context) => Promise<unknown>;

function stepOf(node: Node, path: readonly string[]): Step {
  switch (node.kind) {
    case 'Sequence': {
      const steps = node.nodes.map((child) => stepOf(child, path));
      return async (context) => {
        for (const step of steps) await step(context);
      };
    }
    case 'Parallel': {
      const steps = node.nodes.map((child) => stepOf(child, path));
      return (context) => Promise.all(steps.map((step) => step(context)));
    }
    case 'Flatten':
      return stepOf(node.node, [...path, ...node.path]);
    case 'Fetch':
      return node.requires ? entities(node, path) : root(node);
  }
}

const headOf = ({ operation }: Node) => `{"query":${JSON.stringify(operation)},"variables":{`;
const variablesOf = ({ variableUsages = [] }: Node, { variables }: Context) =>
  variableUsages
    .filter((name) => name in variables)
    .map((name) => `"${name}":${JSON.stringify(variables[name])}`);

function root(node: Node): Step {
  const head = headOf(node);
  return async (context) => {
    const body = `${head}${variablesOf(node, context).join(',')}}}`;
    const data = await post(node.serviceName, body, context.authorization);
    for (const [key, value] of Object.entries(data))
      // Several subgraphs may return fields of one root object. The workloads need no deeper merge.
      if (typeof context.data[key] === 'object' && context.data[key]) Object.assign(context.data[key], value);
      else context.data[key] = value;
  };
}

function entities(node: Node, path: readonly string[]): Step {
  const head = headOf(node);
  const names = [...new Set(node.requires?.flatMap(({ selections }) => selections.map(({ name }) => name)))];
  return async (context) => {
    const found: JsonObject[] = [];
    collect(context.data, path, 0, found);
    if (found.length === 0) return;
    const indexes = new Map<string, number>();
    // For each entity the index of its representation, which is also the index of its answer.
    const answerIndexes = found.map((entity) => {
      const text = JSON.stringify(Object.fromEntries(names.map((name) => [name, entity[name]])));
      const known = indexes.get(text);
      if (known !== undefined) return known;
      indexes.set(text, indexes.size);
      return indexes.size - 1;
    });
    const variables = [...variablesOf(node, context), `"representations":[${[...indexes.keys()].join(',')}]`];
    const { _entities: answers } = await post(
      node.serviceName,
      `${head}${variables.join(',')}}}`,
      context.authorization,
    );
    for (const [at, entity] of found.entries())
      Object.assign(entity, (answers as JsonObject[])[answerIndexes[at] ?? 0]);
  };
}

const run = stepOf(plan, []);

async function answer(context: Context, res: ServerResponse): Promise<void> {
  await run(context);
  const text = Buffer.from(JSON.stringify({ data: context.data }));
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length });
  res.end(text);
}

createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    const { variables } = JSON.parse(Buffer.concat(chunks).toString()) as { variables: JsonObject };
    const context = { data: {}, variables, authorization: req.headers.authorization ?? '' };
    void answer(context, res);
  });
}).listen(Number(port), '127.0.0.1', () => console.log('ready'));
