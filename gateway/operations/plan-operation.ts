import { operationFromDocument } from '@apollo/federation-internals';
import type { QueryPlan } from '@apollo/query-planner';
import type { DocumentNode, GraphQLError, OperationDefinitionNode } from 'graphql';
import { PlatformError } from '#server/errors.ts';
import { graphqlErrorOf } from '#server/graphql/errors.ts';
import { plannable } from '../plan/conditional-selections.ts';
import type { LoadedGraph } from '../supergraph/loaded-graph.ts';

/** @throws GraphQLError if the planner fails, as it does on some valid operations, such as nested fragments on many interfaces */
export function planOperation(
  { planner, federatedApiSchema }: LoadedGraph,
  document: DocumentNode,
  { name }: Pick<OperationDefinitionNode, 'name'>,
): QueryPlan {
  try {
    return planner.buildQueryPlan(
      operationFromDocument(
        federatedApiSchema,
        plannable(document),
        name ? { operationName: name.value } : {},
      ),
    );
  } catch (cause) {
    throw unplannable(cause);
  }
}

const unplannable = (cause: unknown): GraphQLError =>
  graphqlErrorOf(
    isUnreachable(cause)
      ? new PlatformError(
          'VALIDATION_FAILED',
          'No plan can be made for this operation: a field of it cannot be fetched from where it is selected, because no subgraph with this field resolves its object. The operator of the graph has to add a resolvable key.',
          { cause },
        )
      : new PlatformError(
          'OPERATION_LIMIT_EXCEEDED',
          'No plan can be made for this operation: select fewer fields, or nest fewer fragments.',
          { cause },
        ),
  );

/** Whether the planner found no way to fetch a field. Apollo's composition refuses such a field, others may not. */
const isUnreachable = (cause: unknown): boolean =>
  cause instanceof Error && cause.message.startsWith('Was not able to find any options for');
