import {
  Kind,
  parse,
  print,
  visit,
  type ConstDirectiveNode,
  type DefinitionNode,
  type DocumentNode,
  type NamedTypeNode,
  type TypeDefinitionNode,
  type TypeNode,
} from 'graphql';
import type { Contract } from '../router-file/router-file.ts';

/** The kinds of nodes that may have @tag and @inaccessible. */
const ELEMENTS: ReadonlySet<string> = new Set([
  Kind.FIELD_DEFINITION,
  Kind.INPUT_VALUE_DEFINITION,
  Kind.ENUM_VALUE_DEFINITION,
  Kind.OBJECT_TYPE_DEFINITION,
  Kind.INTERFACE_TYPE_DEFINITION,
  Kind.UNION_TYPE_DEFINITION,
  Kind.ENUM_TYPE_DEFINITION,
  Kind.SCALAR_TYPE_DEFINITION,
  Kind.INPUT_OBJECT_TYPE_DEFINITION,
]);

const INACCESSIBLE_URL = 'https://specs.apollo.dev/inaccessible/v0.2';
const DEFINITION = parse(
  'directive @inaccessible on FIELD_DEFINITION | OBJECT | INTERFACE | UNION | ARGUMENT_DEFINITION | SCALAR | ENUM | ENUM_VALUE | INPUT_OBJECT | INPUT_FIELD_DEFINITION',
).definitions;
const INACCESSIBLE: ConstDirectiveNode = {
  kind: Kind.DIRECTIVE,
  name: { kind: Kind.NAME, value: 'inaccessible' },
};

/**
 * The supergraph of a contract: the same one, in which everything that the contract leaves out is `@inaccessible`, so that
 * only the planner sees it. An element with an excluded tag is left out. With included tags, the contract has the root
 * fields with one of them, and all that these lead to. A type to which nothing leads is left out, too.
 */
export function contractSdl(supergraph: string, { include, exclude }: Contract): string {
  const document = parse(supergraph, { noLocation: true });
  const roots = rootTypes(document);
  const isIncluded = (node: Tagged): boolean => include.length === 0 || hasTag(node, include);
  const isLeftOut = (node: Tagged, parent: string): boolean =>
    hasTag(node, exclude) || (roots.has(parent) && !isIncluded(node));
  const reached = reachedTypes(document, roots, isLeftOut);
  let parent = '';
  const hidden = visit(document, {
    enter(node) {
      if (!ELEMENTS.has(node.kind) || !('name' in node)) return undefined;
      const isType = isTypeDefinition(node as DefinitionNode);
      if (isType) parent = node.name?.value ?? '';
      if (isSpecified(parent)) return false;
      const tagged = node as Tagged;
      const isHidden = isType
        ? !reached.has(parent)
        : isLeftOut(tagged, node.kind === Kind.FIELD_DEFINITION ? parent : '');
      return isHidden && !hasDirective(tagged, 'inaccessible')
        ? { ...node, directives: [...(tagged.directives ?? []), INACCESSIBLE] }
        : undefined;
    },
  });
  return print(withInaccessible(hidden));
}

interface Tagged {
  readonly directives?: readonly ConstDirectiveNode[] | undefined;
}

const hasDirective = ({ directives = [] }: Tagged, name: string): boolean =>
  directives.some((directive) => directive.name.value === name);

const hasTag = ({ directives = [] }: Tagged, tags: readonly string[]): boolean =>
  tags.length > 0 &&
  directives.some(
    ({ name, arguments: args = [] }) =>
      name.value === 'tag' &&
      args.some(({ value }) => value.kind === Kind.STRING && tags.includes(value.value)),
  );

/** Definitions of the federation's own specifications, which clients never see. */
const isSpecified = (name: string): boolean => name.includes('__');

const isTypeDefinition = (node: DefinitionNode): node is TypeDefinitionNode =>
  node.kind.endsWith('TypeDefinition') && 'name' in node;

const isDirectiveDefinition = (node: DefinitionNode) => node.kind === Kind.DIRECTIVE_DEFINITION;

function rootTypes({ definitions }: DocumentNode): ReadonlySet<string> {
  const schema = definitions.find((node) => node.kind === Kind.SCHEMA_DEFINITION);
  const named = schema?.operationTypes.map(({ type }) => type.name.value);
  return new Set(named ?? ['Query', 'Mutation', 'Subscription']);
}

/** The types that a client can reach from the root fields that remain. A root type without such fields is not reached. */
function reachedTypes(
  document: DocumentNode,
  roots: ReadonlySet<string>,
  isLeftOut: (node: Tagged, parent: string) => boolean,
): ReadonlySet<string> {
  const types = new Map(document.definitions.filter(isTypeDefinition).map((node) => [node.name.value, node]));
  const implementations = Map.groupBy(
    [...types.values()].flatMap((type) =>
      ('interfaces' in type ? (type.interfaces ?? []) : []).map(({ name }) => ({ name: name.value, type })),
    ),
    ({ name }) => name,
  );
  const reached = new Set<string>();
  const reach = (name: string): void => {
    const type = types.get(name);
    if (!type || reached.has(name) || isLeftOut(type, '')) return;
    const parts = partsOf(type, isLeftOut);
    // A type whose fields are all left out would be invalid.
    if ('fields' in type && parts.length === 0) return;
    reached.add(name);
    for (const part of parts) reach(part);
    for (const { type: implementation } of implementations.get(name) ?? []) reach(implementation.name.value);
  };
  for (const root of roots) reach(root);
  // A contract leaves out no directive of the schema, so the types of their arguments are needed.
  for (const { name, arguments: args = [] } of document.definitions.filter(isDirectiveDefinition))
    if (!isSpecified(name.value)) for (const { type } of args) reach(nameOf(type));
  return reached;
}

/** The names of the types to which a type leads: a union's members, or the interfaces and the types of the remaining fields. */
function partsOf(
  type: TypeDefinitionNode,
  isLeftOut: (node: Tagged, parent: string) => boolean,
): readonly string[] {
  if (type.kind === Kind.UNION_TYPE_DEFINITION) return (type.types ?? []).map(nameOf);
  if (!('fields' in type)) return [];
  const isInput = type.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION;
  const interfaces = 'interfaces' in type ? (type.interfaces ?? []).map(nameOf) : [];
  const fields = (type.fields ?? []).filter((field) => !isLeftOut(field, isInput ? '' : type.name.value));
  if (fields.length === 0) return [];
  return [
    ...interfaces,
    ...fields.flatMap((field) => [
      nameOf(field.type),
      ...('arguments' in field ? (field.arguments ?? []) : [])
        .filter((argument) => !isLeftOut(argument, ''))
        .map((argument) => nameOf(argument.type)),
    ]),
  ];
}

function nameOf(type: TypeNode): string {
  let inner: TypeNode = type;
  while (inner.kind !== Kind.NAMED_TYPE) inner = inner.type;
  return (inner satisfies NamedTypeNode).name.value;
}

/** Adds the link to `@inaccessible` and its definition, unless the supergraph has them already. */
function withInaccessible(document: DocumentNode): DocumentNode {
  const isDefined = document.definitions.some(
    (node) => node.kind === Kind.DIRECTIVE_DEFINITION && node.name.value === 'inaccessible',
  );
  if (isDefined) return document;
  const [link] = parse(
    `schema @link(url: "${INACCESSIBLE_URL}", for: SECURITY) { query: Query }`,
  ).definitions;
  const directives = link?.kind === Kind.SCHEMA_DEFINITION ? (link.directives ?? []) : [];
  const definitions = document.definitions.map((node) =>
    node.kind === Kind.SCHEMA_DEFINITION
      ? { ...node, directives: [...(node.directives ?? []), ...directives] }
      : node,
  );
  return { ...document, definitions: [...definitions, ...DEFINITION] };
}
