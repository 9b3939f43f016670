import { operationFromDocument } from '@apollo/federation-internals';
import type { QueryPlan } from '@apollo/query-planner';
import type { DocumentNode, GraphQLError, OperationDefinitionNode } from 'graphql';
import { PlatformError } from '#server/errors.ts';
import { graphqlErrorOf } from '#server/graphql/errors.ts';
import type { LoadedGraph } from '../supergraph/loaded-graph.ts';

/** @throws GraphQLError if the planner fails, as it does on some valid operations, such as nested fragments on many interfaces */
export function planOperation(
  { planner, federatedApiSchema }: LoadedGraph,
  document: DocumentNode,
  { name }: OperationDefinitionNode,
): QueryPlan {
  try {
    return planner.buildQueryPlan(
      operationFromDocument(federatedApiSchema, document, name ? { operationName: name.value } : {}),
    );
  } catch (cause) {
    throw unplannable(cause);
  }
}

const unplannable = (cause: unknown): GraphQLError =>
  graphqlErrorOf(
    new PlatformError(
      'OPERATION_LIMIT_EXCEEDED',
      'No plan can be made for this operation: select fewer fields, or nest fewer fragments.',
      { cause },
    ),
  );
