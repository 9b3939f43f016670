import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Kind, parse, type DefinitionNode, type DocumentNode } from 'graphql';
import { isJsonObject } from '#server/json-object.ts';
import { withGraphDescriptions } from '#server/graph-descriptions.ts';
import { openApiDocument } from '#server/rest/openapi.ts';
import { asyncApiDocument } from '../../subgraphs/squad/pages/asyncapi.ts';
import { subgraphs } from '../../subgraphs/index.ts';

interface Described {
  name: { value: string };
  description?: { value: string } | undefined;
}
type Named = readonly [path: string, node: Described];

/** What a definition names: itself, its fields with their arguments, the values of an enum, and the arguments of a directive. */
function definedBy(definition: DefinitionNode): Named[] {
  if (definition.kind === Kind.SCHEMA_DEFINITION || definition.kind === Kind.SCHEMA_EXTENSION) return [];
  if (!('name' in definition) || !definition.name) return [];
  const own = definition.name.value;
  const node = { ...definition, name: definition.name } as Described;
  const fields = 'fields' in definition ? (definition.fields ?? []) : [];
  const values = 'values' in definition ? (definition.values ?? []) : [];
  const args = 'arguments' in definition ? (definition.arguments ?? []) : [];
  return [
    [own, node],
    ...args.map((arg): Named => [`${own}(${arg.name.value})`, arg as Described]),
    ...values.map((value): Named => [`${own}.${value.name.value}`, value]),
    ...fields.flatMap((field): Named[] => [
      [`${own}.${field.name.value}`, field],
      ...('arguments' in field ? (field.arguments ?? []) : []).map((arg): Named => [
        `${own}.${field.name.value}(${arg.name.value})`,
        arg,
      ]),
    ]),
  ];
}

const undescribedIn = (document: DocumentNode): string[] =>
  document.definitions
    .flatMap(definedBy)
    .filter(([, { description }]) => !description?.value.trim())
    .map(([path]) => path);

/** The paths of properties without a description. A list of uploaded files has its description at the items. */
function undescribedProperties(value: unknown, path: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => undescribedProperties(item, path));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key !== 'properties' || !isJsonObject(inner))
      return undescribedProperties(inner, KEYWORDS.has(key) ? path : `${path} ${key}`);
    return Object.entries(inner).flatMap(([name, property]) => [
      ...(isDescribed(property) ? [] : [`${path}.${name}`]),
      ...undescribedProperties(property, `${path}.${name}`),
    ]);
  });
}
const KEYWORDS = new Set(['items', 'anyOf', 'oneOf', 'allOf', 'schema', 'schemas', 'content', 'components']);
const isDescribed = (schema: unknown): boolean =>
  isJsonObject(schema) && (Boolean(schema['description']) || isDescribed(schema['items']));

describe.each(subgraphs.map((subgraph) => [subgraph.name, subgraph] as const))('%s', (name, subgraph) => {
  const document = withGraphDescriptions(name, openApiDocument(subgraph, subgraph.rest)) as Record<
    'components' | 'paths',
    Record<string, Record<string, unknown>>
  >;

  it('describes every type, field, argument and value of its schema', () =>
    expect(
      undescribedIn(parse(readFileSync(new URL(`../../schema/${name}.graphql`, import.meta.url), 'utf8'))),
    ).toEqual([]));

  it('describes every property of its REST shapes', () => {
    const { Problem, ...schemas } = document.components['schemas'] ?? {};
    // RFC 9457 describes the members of every problem document.
    const ofProblems = new Set(
      undescribedProperties({ Problem }, name).map((path) => path.split('Problem.')[1]),
    );
    expect(
      [...undescribedProperties(schemas, name), ...undescribedProperties(document.paths, name)].filter(
        (path) => !ofProblems.has(path.split(/Problem_\w+\./)[1]),
      ),
    ).toEqual([]);
  });

  it('describes every parameter of its routes', () =>
    expect(
      Object.entries(document.paths).flatMap(([path, operations]) =>
        Object.entries(operations).flatMap(([method, operation]) =>
          parametersOf(operation)
            .filter(({ description, schema }) => !description && !isDescribed(schema))
            .map((parameter) => `${method} ${path}: ${parameter.name}`),
        ),
      ),
    ).toEqual([]));

  it('leaves the names of graph types out of its OpenAPI document', () =>
    expect(JSON.stringify(document)).not.toContain('"graphType"'));
});

interface Parameter {
  name: string;
  description?: string;
  schema?: unknown;
}
const parametersOf = (operation: unknown): Parameter[] =>
  (operation as { parameters?: Parameter[] }).parameters ?? [];

describe('descriptions of the graph in REST', () => {
  const text = (name: (typeof subgraphs)[number]['name'], shape: string, property: string) => {
    const subgraph = subgraphs.find((one) => one.name === name);
    const document = withGraphDescriptions(
      name,
      openApiDocument(subgraph as never, subgraph?.rest ?? []),
    ) as { components: { schemas: Record<string, { properties: Record<string, { description: string }> }> } };
    return document.components.schemas[shape]?.properties[property]?.description;
  };

  it('are those of the field of the same name, also in a shape with more properties', () => {
    expect(text('gym', 'CheckIn', 'checkedInAt')).toBe('The time at which the visit began.');
    expect(text('gym', 'LocationWithOccupancy', 'capacity')).toBe('How many people may be inside at once.');
  });

  it('contain the meanings of an enum', () =>
    expect(text('gym', 'Occupancy', 'level')).toContain('- `BUSY`: From 80 percent.'));

  it('are in the document of the socket, too', () => {
    const { schemas } = asyncApiDocument.components as {
      schemas: Record<string, { properties: Record<string, { description: string }> }>;
    };
    expect(schemas['SquadSession']?.properties['revision']?.description).toBe(
      'The number of changes of the squad.',
    );
    expect(JSON.stringify(asyncApiDocument)).not.toContain('"graphType"');
  });
});
