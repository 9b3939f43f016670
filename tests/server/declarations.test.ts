import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { subgraphs } from '../../subgraphs/index.ts';

/** A part of a shape's JSON Schema, with its path. */
interface Part {
  path: string;
  schema: z.core.JSONSchema.BaseSchema;
}

function partsOf(schema: z.core.JSONSchema.BaseSchema, path: string, parts: Part[] = []): Part[] {
  parts.push({ path, schema });
  for (const [name, inner] of Object.entries(schema.properties ?? {}))
    if (typeof inner === 'object') partsOf(inner, `${path}.${name}`, parts);
  for (const inner of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])])
    if (typeof inner === 'object') partsOf(inner, path, parts);
  if (typeof schema.items === 'object' && !Array.isArray(schema.items))
    partsOf(schema.items, `${path}[]`, parts);
  if (typeof schema.additionalProperties === 'object')
    partsOf(schema.additionalProperties, `${path}{}`, parts);
  return parts;
}

const shapes = subgraphs.flatMap(({ name, rest }) =>
  rest.flatMap(({ method, path, body, query }) =>
    [body, query].flatMap((shape) => (shape ? [{ path: `${name} ${method} ${path}`, shape }] : [])),
  ),
);
const inputs = shapes.flatMap(({ path, shape }) =>
  partsOf(z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any', reused: 'inline' }), path),
);

/** The schemas of days and times inside a shape. */
function datesOf(shape: z.core.$ZodType): z.ZodType[] {
  const { def } = (shape as z.core.$ZodTypes)._zod;
  if (def.type === 'string')
    return 'format' in def && (def.format === 'date' || def.format === 'datetime')
      ? [shape as z.ZodType]
      : [];
  const inner: z.core.$ZodType[] = [];
  if (def.type === 'object') inner.push(...Object.values(def.shape));
  if (def.type === 'array') inner.push(def.element);
  if (def.type === 'union') inner.push(...def.options);
  if (def.type === 'pipe') inner.push(def.in, def.out);
  if (def.type === 'record') inner.push(def.valueType);
  if ('innerType' in def) inner.push(def.innerType);
  return inner.flatMap(datesOf);
}

/**
 * Numbers that need no maximum: a larger `limit` becomes 200, a larger `wait` becomes 20 s, and the others are only
 * compared, as PostgreSQL's bigint.
 */
const MAY_BE_UNBOUNDED = /\.(limit|wait|maxMinutes|minPrice|maxPrice)$/;

const pathsUnless = (isBounded: (part: Part) => boolean) =>
  inputs.filter((part) => !isBounded(part)).map(({ path }) => path);

/** The names of the rules objects that a handler takes from its second parameter. */
const rulesOf = (handler: (request: never, services: never) => unknown): string[] =>
  /^(?:async\s*)?\((?:[^()]|\([^()]*\))*,\s*\{([^{}]*)\}\s*\)\s*=>/
    .exec(handler.toString())?.[1]
    ?.split(',')
    .map((name) => name.trim())
    .filter(Boolean) ?? [];

describe('a route', () => {
  const routes = subgraphs.flatMap(({ name, rest, features = {} }) =>
    rest.map(({ method, path, handler, module }) => ({
      route: `${name} ${method} ${path}`,
      rules: rulesOf(handler),
      module,
      features: features as Readonly<Record<string, string | null>>,
    })),
  );

  it('declares the module with which its rules are switched off', () => {
    expect(routes.filter(({ rules }) => rules.length > 0).length).toBeGreaterThan(0.95 * routes.length);
    expect(
      routes.filter(({ rules, module, features }) =>
        rules.some((name) => (features[name] ?? undefined) !== module),
      ),
    ).toEqual([]);
  });
});

describe('every input of a REST route', () => {
  it('bounds its numbers', () =>
    expect(
      pathsUnless(
        ({ path, schema }) =>
          (schema.type !== 'integer' && schema.type !== 'number') ||
          (schema.maximum ?? Infinity) < Number.MAX_SAFE_INTEGER ||
          MAY_BE_UNBOUNDED.test(path),
      ),
    ).toEqual([]));

  it('bounds its texts', () =>
    expect(
      pathsUnless(
        ({ schema }) =>
          schema.type !== 'string' ||
          schema.maxLength !== undefined ||
          schema.enum !== undefined ||
          schema.const !== undefined ||
          schema.format !== undefined ||
          schema.pattern !== undefined,
      ),
    ).toEqual([]));

  it.each([
    ['0000-01-01', '0000-01-01T00:00:00Z'],
    ['0001-01-01', '0001-01-01T00:00:00Z'],
    ['9999-12-31', '9999-12-31T23:59:59-12:00'],
  ])('accepts no day or time that a database cannot compute with, such as %s', (aDay, aTime) => {
    const accepted = shapes.flatMap(({ path, shape }) =>
      datesOf(shape).flatMap((date) =>
        date.safeParse(aDay).success || date.safeParse(aTime).success ? [path] : [],
      ),
    );
    expect(accepted).toEqual([]);
  });

  it('bounds its lists', () =>
    expect(pathsUnless(({ schema }) => schema.type !== 'array' || schema.maxItems !== undefined)).toEqual(
      [],
    ));
});

/** The tags of routes that are the same in several services. */
const SHARED_TAGS = ['Events', 'Internal', 'Jobs'];

describe('the operations of all services', () => {
  const operations = subgraphs.flatMap(({ name, rest }) => rest.map((route) => ({ name, ...route })));

  it('have ids in camel case, unique over all services except for the routes that several services have', () => {
    const ids = operations.map(({ name, operationId, tag }) =>
      SHARED_TAGS.includes(tag.name) ? `${name} ${operationId}` : operationId,
    );
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    expect(operations.filter(({ operationId }) => !/^[a-z]+([A-Z][a-z]*)*$/.test(operationId))).toEqual([]);
  });

  it('have tags that only one service uses, except those of routes that several services have', () => {
    const services = Map.groupBy(operations, ({ tag }) => tag.name);
    const shared = [...services].filter(([, of]) => new Set(of.map(({ name }) => name)).size > 1);
    expect(shared.map(([tag]) => tag).toSorted()).toEqual(SHARED_TAGS);
  });
});

describe('the payload of a job', () => {
  it('contains ids and times, and no texts, because the erasure of an account does not change the tables of the jobs', () => {
    const parts = subgraphs.flatMap(({ jobs = [] }) =>
      jobs.flatMap(({ name, payload }) => partsOf(z.toJSONSchema(payload, { io: 'input' }), name)),
    );
    expect(parts.length).toBeGreaterThan(20);
    const texts = parts.filter(
      ({ path, schema }) => schema.type === 'string' && !schema.enum && !/(Id|At)$/.test(path),
    );
    expect(texts.map(({ path }) => path)).toEqual([]);
  });
});
