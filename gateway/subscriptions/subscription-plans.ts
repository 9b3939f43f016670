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
import { planOperation } from '../operations/plan-operation.ts';
import { bytesOfPlan, fetchesOf } from '../plan/plan-fetches.ts';
import type { LoadedGraph } from '../supergraph/loaded-graph.ts';
import type { Permission } from '../authorization/permission.ts';
import { sameForGymFields, type SameForGymFields } from './same-for-gym.ts';

/** The plan of a subscription: `primary` is sent to the subgraph that owns the field, `perEvent` runs for each event. */
export interface SubscriptionPlan {
  readonly graph: LoadedGraph;
  /** The client's document; results have its shape. */
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly permission: Permission;
  readonly primary: FetchNode;
  /** The primary as an ordinary fetch, whose answer is the event, and then the fetches of the rest. */
  readonly perEvent: QueryPlan;
  /** The primary's operation without its name, so that client operations with different names can share it. */
  readonly upstreamQuery: string;
  /** The URL of the subgraph that owns the field. */
  readonly upstreamUrl: string;
  /** Whether every field is the same for all viewers of one role and gym. */
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
    const { node } = planOperation(graph, permission.document, operation ?? {});
    if (!operation || node?.kind !== 'Subscription') throw new Error('the operation is not a subscription');
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

/** The variables that the primary uses. */
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

/** The text of a document, printed once, because many subscriptions may have the same one. */
export function textOf(document: DocumentNode): string {
  const text = texts.get(document) ?? print(document);
  texts.set(document, text);
  return text;
}
