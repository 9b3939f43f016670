import type { Random } from '../../support/graph-doubles/random.ts';
import { hostileText } from './hostile-values.ts';
import { SchemaValues, type Schema } from './schema-values.ts';

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  schema?: Schema;
}
interface Content {
  content?: Record<string, { schema?: Schema }>;
}
interface Operation {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: Content;
  responses: Record<string, Content>;
}
export interface OpenApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components?: Record<string, Record<string, Schema>>;
}

/** A REST operation of the document. */
export interface RestOperation {
  method: string;
  path: string;
  operation: Operation;
}

/** A request that is ready to be sent. */
export interface FuzzRequest {
  name: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
  /** Statuses that the operation declares. */
  declared: ReadonlySet<number>;
}

const METHODS = new Set(['get', 'post', 'put', 'patch', 'delete']);

export const restOperations = ({ paths }: OpenApiDocument): RestOperation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => METHODS.has(method))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

/** Returns a function that finds a schema of the document by its reference, `#/components/schemas/X`. */
export function resolverOf(document: OpenApiDocument): (reference: string) => Schema {
  return (reference) => {
    const found = reference
      .split('/')
      .slice(1)
      .reduce<unknown>(
        (part, key) =>
          (part as Record<string, unknown> | undefined)?.[key.replaceAll('~1', '/').replaceAll('~0', '~')],
        document,
      );
    if (found === undefined) throw new Error(`the document has no ${reference}`);
    return found as Schema;
  };
}

/** `wait` is the time for which a feed waits for an event. Longer waits would leave less time for other requests. */
const LONG_WAIT_SECONDS = 0.5;
const isLongWait = (value: unknown, schema: Schema | undefined): boolean =>
  typeof value === 'number' && value > LONG_WAIT_SECONDS && value <= (schema?.maximum ?? Infinity);

/** Makes a well-formed or partly hostile request of an operation. */
export function restRequest(
  random: Random,
  { method, path, operation }: RestOperation,
  options: { resolve(reference: string): Schema; ids: readonly string[] },
): FuzzRequest {
  const hostility = random.pick([0, 0.03, 0.1, 0.4]);
  const values = new SchemaValues(random, { ...options, hostility });
  const parameters = operation.parameters ?? [];
  const valueOf = ({ name, schema }: Parameter): string => {
    const made = random.chance(hostility) ? hostileText(random) : values.of(schema ?? { type: 'string' });
    const value = name === 'wait' && isLongWait(made, schema) ? LONG_WAIT_SECONDS : made;
    return encoded((typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 2_000));
  };
  const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    const parameter = parameters.find((one) => one.in === 'path' && one.name === name);
    const value = parameter ? valueOf(parameter) : random.pick(options.ids);
    return value === '' || value === '.' || value === '..' ? random.pick(options.ids) : value;
  });
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && random.chance(0.5))
    .map((parameter) => `${encoded(parameter.name)}=${valueOf(parameter)}`);
  if (random.chance(hostility / 4)) query.push(`${encoded(hostileText(random).slice(0, 40))}=x`);
  return {
    name: `${method} ${path}`,
    method,
    path: `${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`.slice(0, 12_000),
    ...bodyOf(random, operation, values, hostility),
    declared: new Set(Object.keys(operation.responses).map(Number)),
  };
}

function bodyOf(
  random: Random,
  { requestBody }: Operation,
  values: SchemaValues,
  hostility: number,
): Pick<FuzzRequest, 'headers' | 'body'> {
  const headers: Record<string, string> = {};
  if (random.chance(0.2)) headers['idempotency-key'] = random.chance(0.8) ? crypto.randomUUID() : 'not a key';
  if (random.chance(0.1)) headers['if-match'] = random.pick(['"1"', '*', 'W/"2"', '"99999999999"', 'x']);
  const types = Object.keys(requestBody?.content ?? {});
  if (types.length === 0) return { headers, body: undefined };
  const type = random.pick(types);
  headers['content-type'] = random.chance(hostility / 8) ? 'text/plain' : type;
  if (type === 'multipart/form-data')
    return { headers: { ...headers, ...multipartHeader }, body: multipart(random) };
  if (!type.includes('json')) return { headers, body: csv(random) };
  const text = JSON.stringify(values.of(requestBody?.content?.[type]?.schema ?? {}));
  return { headers, body: random.chance(hostility / 8) ? broken(random, text) : text };
}

const BOUNDARY = 'fuzz-boundary';
const multipartHeader = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };

function multipart(random: Random): string {
  const field = random.pick(['avatar', 'image', 'file', 'other', '']);
  const part = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${field}"; filename="${random.pick(['a.png', '../a', 'a\\b', ''])}"\r\ncontent-type: image/png\r\n\r\n\u0089PNG not really\r\n`;
  return random.chance(0.8) ? `${part}--${BOUNDARY}--\r\n` : part.slice(0, random.below(part.length));
}

function csv(random: Random): string {
  const header = random.chance(0.8) ? 'foodName,calories,localDate\n' : hostileText(random).slice(0, 1_000);
  const lines = Array.from({ length: random.below(20) }, () =>
    random.chance(0.7)
      ? 'Oats,150,2026-01-05\n'
      : `"${hostileText(random).slice(0, 500)},${hostileText(random).slice(0, 50)}\n`,
  );
  return header + lines.join('');
}

/** Invalid JSON, or JSON that is nested too deeply. */
function broken(random: Random, text: string): string {
  const depth = 100 + random.below(5_000);
  return random.pick([
    text.slice(0, random.below(text.length)),
    `${text}}`,
    '['.repeat(depth) + ']'.repeat(depth),
    '\uFEFF',
    '{"a":1,"a":2}',
    '{"__proto__":{"role":"SUPER_ADMIN"}}',
  ]);
}

/** Replaces lone surrogates, for which encodeURIComponent would throw an error. */
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());
