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
import { boundedCache, bytesOfText } from '#server/observability/bounded-cache.ts';
import { bytesOfPlan, fetchesOf } from '../plan/plan-fetches.ts';
import type { LoadedGraph } from '../supergraph/loaded-graph.ts';
import type { Permission } from '../authorization/permission.ts';
import { sameForGymFields, type SameForGymFields } from './same-for-gym.ts';

/** How a subscription is run: `primary` at the subgraph that owns it, and for each of its events `perEvent`. */
export interface SubscriptionPlan {
  readonly graph: LoadedGraph;
  /** As the client sent it: results have its shape. */
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly permission: Permission;
  readonly primary: FetchNode;
  /** The primary as an ordinary fetch, answered from the event, and then the fetches that fill in the rest. */
  readonly perEvent: QueryPlan;
  /** The primary's operation without its name, so that equal ones of differently named client operations are shared. */
  readonly upstreamQuery: string;
  /** Where the subgraph that owns it is subscribed to. */
  readonly upstreamUrl: string;
  /** Whether every field is the same for all of one role and gym. */
  readonly isShareable: boolean;
}

/** Plans of one supergraph, by document, operation name and permission. */
export class SubscriptionPlans {
  private readonly graph: LoadedGraph;
  private readonly shareable: SameForGymFields;
  private readonly known = boundedCache<string, SubscriptionPlan>({
    name: 'subscription_plans',
    maxEntries: 500,
    maxBytes: 32 * 1024 * 1024, // 32 MiB
    bytesOf: ({ perEvent }, key) => bytesOfText(key) + bytesOfPlan(fetchesOf(perEvent)),
  });

  constructor(graph: LoadedGraph) {
    this.graph = graph;
    this.shareable = sameForGymFields(graph);
  }

  of(document: DocumentNode, operationName: string | undefined, permission: Permission): SubscriptionPlan {
    const key = `${operationName ?? ''}\n${permission.mask}\n${textOf(document)}`;
    const plan = this.known.get(key) ?? this.make(document, operationName, permission);
    this.known.set(key, plan);
    return plan;
  }

  private make(
    document: DocumentNode,
    operationName: string | undefined,
    permission: Permission,
  ): SubscriptionPlan {
    const operation = getOperationAST(document, operationName);
    const { graph } = this;
    const { node } = graph.planner.buildQueryPlan(
      operationFromDocument(
        graph.federatedApiSchema,
        permission.document,
        operationName ? { operationName } : {},
      ),
    );
    if (!operation || node?.kind !== 'Subscription')
      throw new Error('the planner was given something else than a subscription');
    const { primary, rest } = node;
    const owner = graph.subgraphs.get(primary.serviceName);
    if (!owner) throw new Error(`no subgraph "${primary.serviceName}" in this supergraph`);
    return {
      graph,
      document,
      operation,
      permission,
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
      upstreamUrl: owner.url,
      isShareable: this.shareable.coverAll(document, operation),
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

const texts = new WeakMap<DocumentNode, string>();

/** Printed once a document, of which many subscriptions may be. */
export function textOf(document: DocumentNode): string {
  const text = texts.get(document) ?? print(document);
  texts.set(document, text);
  return text;
}
