import type { ApolloServerPlugin } from '@apollo/server';
import {
  valueFromASTUntyped,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { Viewer } from '../auth/viewer.ts';
import { MAX_PAGE_SIZE } from '../paging.ts';
import { AppliedDirectives } from './applied-directives.ts';
import { ANONYMOUS_COST_SHARE, costCheck, type CostCheck } from './cost.ts';
import { graphqlErrorOf } from './errors.ts';
import { checkIntrospection, introspectionPlugin, type Introspection } from './introspection.ts';
import { refusalOfVariables } from './variable-limits.ts';
import {
  ANONYMOUS_SUBGRAPH_LIMITS,
  operationLimiter,
  SUBGRAPH_COST_LIMIT,
  SUBGRAPH_LIMITS,
} from './limits.ts';

/** The assumed length of a list without `@listSize`, the same as at the gateway. */
const ASSUMED_LIST_SIZE = 10;

type RawVariables = Readonly<Record<string, unknown>> | null | undefined;

/**
 * A service's checks of an operation before it runs, over HTTP and over the socket. Clients can reach a service's graph
 * without the gateway, so each service has limits, which are wide enough for the operations that the gateway plans.
 */
export class OperationChecks {
  readonly introspection: Introspection;
  private readonly limiter = operationLimiter(SUBGRAPH_LIMITS, ANONYMOUS_SUBGRAPH_LIMITS);
  private readonly schema: GraphQLSchema;
  private readonly directives: AppliedDirectives;
  /** Computed once for equal texts: they have the same nodes, because Apollo Server caches parsed documents. */
  private readonly costs = new WeakMap<OperationDefinitionNode, CostCheck>();

  constructor(schema: GraphQLSchema, sdl: string, introspection: Introspection) {
    this.schema = schema;
    this.directives = new AppliedDirectives(sdl);
    this.introspection = introspection;
  }

  /** To be called before validation. @throws OPERATION_LIMIT_EXCEEDED */
  checkText(query: string, viewer: Viewer): void {
    this.limiter.check(query, viewer);
  }

  /** To be called before execution. @throws GraphQLError: FORBIDDEN, OPERATION_LIMIT_EXCEEDED */
  checkOperation(
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: RawVariables,
    viewer: Viewer,
  ): void {
    checkIntrospection(document, viewer, this.introspection);
    const tooLarge = variables && refusalOfVariables(variables);
    if (tooLarge) throw graphqlErrorOf(tooLarge);
    const check = this.costs.get(operation) ?? this.costOf(document, operation);
    this.costs.set(operation, check);
    const refusal = check({ ...defaultsOf(operation), ...variables }, viewer);
    if (refusal) throw graphqlErrorOf(refusal);
  }

  plugins<Context extends { viewer: Viewer }>(): ApolloServerPlugin<Context>[] {
    return [
      introspectionPlugin<Context>(this.introspection),
      {
        requestDidStart: async () => ({
          didResolveOperation: async ({ document, operation, request, contextValue }) => {
            if (operation) this.checkOperation(document, operation, request.variables, contextValue.viewer);
          },
        }),
      },
    ];
  }

  private costOf(document: DocumentNode, operation: OperationDefinitionNode): CostCheck {
    return costCheck(document, operation, {
      schema: this.schema,
      directives: this.directives,
      assumedListSize: ASSUMED_LIST_SIZE,
      maxListSize: MAX_PAGE_SIZE,
      costLimit: SUBGRAPH_COST_LIMIT,
      anonymousCostLimit: SUBGRAPH_COST_LIMIT * ANONYMOUS_COST_SHARE,
    });
  }
}

const defaultsOf = ({ variableDefinitions = [] }: OperationDefinitionNode): Record<string, unknown> =>
  Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)]] : [],
    ),
  );
