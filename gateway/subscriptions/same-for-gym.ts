import {
  getNamedType,
  isObjectType,
  Kind,
  parse,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { LoadedGraph } from '../supergraph/loaded-graph.ts';

/** By which `@link` the supergraph knows the directive. */
const SPECIFICATION = 'https://specs.fitness-platform.example/audience/';
const NAME = '@sameForGym';

/** The fields that the subgraphs declare to be the same for everybody of one role and gym. */
export interface SameForGymFields {
  /** Whether the operation has no other field: then one execution serves all of them. Closed in doubt. */
  coverAll(document: DocumentNode, operation: OperationDefinitionNode): boolean;
}

/** Reads the `@sameForGym` directives of a supergraph; in one that does not link them nothing is shared. */
export function sameForGymFields({
  sdl,
  apiSchema,
}: Pick<LoadedGraph, 'sdl' | 'apiSchema'>): SameForGymFields {
  const marked = sdl.includes(SPECIFICATION) ? markedFields(sdl) : new Set<string>();
  return {
    coverAll(document, operation) {
      if (marked.size === 0) return false;
      const used = fragmentsOf(document, operation);
      return [operation, ...used].every((definition) => isCovered(definition, apiSchema, marked));
    },
  };
}

function isCovered(
  definition: DocumentNode['definitions'][number],
  schema: GraphQLSchema,
  marked: ReadonlySet<string>,
): boolean {
  const types = new TypeInfo(schema);
  let isEvery = true;
  visit(
    definition,
    visitWithTypeInfo(types, {
      Field(field) {
        const parent = getNamedType(types.getParentType());
        const name = field.name.value;
        if (name === '__typename') return;
        // Of an interface's field it would be a question of the types that implement it: not looked into.
        isEvery &&= isObjectType(parent) && marked.has(`${parent.name}.${name}`);
      },
    }),
  );
  return isEvery;
}

/** Each fragment of the document counts: one that the operation does not use only makes it more careful. */
const fragmentsOf = (document: DocumentNode, operation: OperationDefinitionNode) =>
  document.definitions.filter(
    (definition) => definition !== operation && definition.kind === Kind.FRAGMENT_DEFINITION,
  );

function markedFields(sdl: string): ReadonlySet<string> {
  const { definitions } = parse(sdl, { noLocation: true });
  const directive = directiveName(definitions);
  const marked = new Set<string>();
  if (!directive) return marked;
  for (const definition of definitions)
    if (definition.kind === Kind.OBJECT_TYPE_DEFINITION)
      for (const field of definition.fields ?? [])
        if (field.directives?.some(({ name }) => name.value === directive))
          marked.add(`${definition.name.value}.${field.name.value}`);
  return marked;
}

/** As the supergraph's `@link` imports it, by its own or another name. */
function directiveName(definitions: DocumentNode['definitions']): string | undefined {
  for (const definition of definitions) {
    if (definition.kind !== Kind.SCHEMA_DEFINITION && definition.kind !== Kind.SCHEMA_EXTENSION) continue;
    for (const link of definition.directives ?? []) {
      const argument = (name: string) => link.arguments?.find((one) => one.name.value === name)?.value;
      const url = argument('url');
      const imports = argument('import');
      if (url?.kind !== Kind.STRING || !url.value.startsWith(SPECIFICATION)) continue;
      if (imports?.kind !== Kind.LIST) continue;
      for (const imported of imports.values) {
        if (imported.kind === Kind.STRING && imported.value === NAME) return NAME.slice(1);
        if (imported.kind !== Kind.OBJECT) continue;
        const part = (key: string) => {
          const value = imported.fields.find(({ name }) => name.value === key)?.value;
          return value?.kind === Kind.STRING ? value.value : undefined;
        };
        if (part('name') === NAME) return (part('as') ?? NAME).slice(1);
      }
    }
  }
  return undefined;
}
