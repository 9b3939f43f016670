import {
  getNamedType,
  isObjectType,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { AppliedDirectives } from '#server/graphql/applied-directives.ts';
import type { LoadedGraph } from '../supergraph/loaded-graph.ts';

/** The specification that the platform's subgraphs `@link`. */
const SPECIFICATION = 'https://specs.fitness-platform.example/audience/';
const NAME = 'sameForGym';

/** The fields that the subgraphs declare to be the same for all viewers of one role and gym. */
export interface SameForGymFields {
  /** Whether the operation has no other fields, so that one execution serves all viewers. False if this is not certain. */
  coverAll(document: DocumentNode, operation: OperationDefinitionNode): boolean;
}

/** Reads the `@sameForGym` directives of a supergraph; without a link to their specification there are none. */
export function sameForGymFields({
  sdl,
  apiSchema,
}: Pick<LoadedGraph, 'sdl' | 'apiSchema'>): SameForGymFields {
  const marked = sdl.includes(SPECIFICATION)
    ? new Set(new AppliedDirectives(sdl).coordinatesOf(new Set([NAME])))
    : new Set<string>();
  return {
    coverAll(document, operation) {
      if (marked.size === 0) return false;
      // All fragments of the document: an unmarked field in an unused one only prevents sharing.
      return document.definitions
        .filter((one) => one === operation || one.kind === Kind.FRAGMENT_DEFINITION)
        .every((definition) => isCovered(definition, apiSchema, marked));
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
        // The field of an interface does not count as marked: that would depend on the implementing types.
        isEvery &&= isObjectType(parent) && marked.has(`${parent.name}.${name}`);
      },
    }),
  );
  return isEvery;
}
