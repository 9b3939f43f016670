import { operationFromDocument } from '@apollo/federation-internals';
import type { FetchNode, PlanNode, QueryPlan } from '@apollo/query-planner';
import {
  getOperationAST,
  parse,
  print,
  stripIgnoredCharacters,
  visit,
  type DocumentNode,
  type OperationDefinitionNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { SchemaState } from './schema-state.ts';

/** How a subscription is run: `primary` at the subgraph that owns it, and for each of its events `perEvent`. */
export interface SubscriptionPlan {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly primary: FetchNode;
  /** The primary as an ordinary fetch, answered from the event, and then the fetches that fill in the rest. */
  readonly perEvent: QueryPlan;
  /** The primary's operation without its name, so that equal ones of differently named client operations are shared. */
  readonly upstreamQuery: string;
}

/** Plans of one supergraph, by document and operation name. */
export class SubscriptionPlans {
  private readonly state: SchemaState;
  private readonly known = new LRUCache<string, SubscriptionPlan>({ max: 500 });

  constructor(state: SchemaState) {
    this.state = state;
  }

  of(document: DocumentNode, operationName: string | undefined): SubscriptionPlan {
    const key = `${operationName ?? ''}\n${print(document)}`;
    const plan = this.known.get(key) ?? this.make(document, operationName);
    this.known.set(key, plan);
    return plan;
  }

  private make(document: DocumentNode, operationName: string | undefined): SubscriptionPlan {
    const operation = getOperationAST(document, operationName);
    const { planner, federatedApiSchema } = this.state;
    const { node } = planner.buildQueryPlan(
      operationFromDocument(federatedApiSchema, document, operationName ? { operationName } : {}),
    );
    if (!operation || node?.kind !== 'Subscription')
      throw new Error('the planner was given something else than a subscription');
    const { primary, rest } = node;
    return {
      document,
      operation,
      primary,
      perEvent: {
        kind: 'QueryPlan',
        node: rest ? ({ kind: 'Sequence', nodes: [primary, rest] } satisfies PlanNode) : primary,
      },
      upstreamQuery: stripIgnoredCharacters(
        print(
          visit(parse(primary.operation), {
            OperationDefinition: (definition) => ({ ...definition, name: undefined }),
          }),
        ),
      ),
    };
  }
}

/** Those of the variables that the primary uses. */
export const upstreamVariables = (
  plan: SubscriptionPlan,
  variables: Record<string, unknown>,
): Record<string, unknown> =>
  Object.fromEntries(
    (plan.primary.variableUsages ?? []).flatMap((name) =>
      variables[name] === undefined ? [] : [[name, variables[name]]],
    ),
  );
