import type { GraphQLSchema } from 'graphql';
import type { ConditionNode, FetchNode, PlanNode } from '@apollo/query-planner';
import type { FetchCaching, SentRequest } from '../cache/fetch-caching.ts';
import type { ExecutionContext } from '../execution/execution-context.ts';
import type { ExecutionSource } from '../execution/execution.ts';
import type { PlanStep } from '../execution/plan-step.ts';
import { EntityFetch, type EntityFetchOptions } from '../fetch/entity-fetch.ts';
import { FetchRequest } from '../fetch/fetch-request.ts';
import { copyOf } from '../fetch/merge.ts';
import { MergedEntityFetch } from '../fetch/merged-entity-fetch.ts';
import { compileRepresentations, type WriterOf } from '../fetch/representations.ts';
import { compileRewrites } from '../fetch/rewrites.ts';
import { RootFetch } from '../fetch/root-fetch.ts';
import { uploadVariables } from '../fetch/upload-variables.ts';
import type { FlattenPath } from '../response/response-path.ts';
import type { Subgraph } from '../subgraphs/subgraph.ts';
import type { LoadedGraph } from '../supergraph/loaded-graph.ts';
import { conditionalRequirements } from './conditional-requirements.ts';
import { fetchesOf } from './plan-fetches.ts';
import { mergedBranches, type MergedBranches, type MergedNames } from './merged-fetches.ts';

interface PlanContext {
  readonly graph: LoadedGraph;
  readonly primary: FetchNode | undefined;
  readonly uploads: ReadonlySet<string>;
  readonly caching?: FetchCaching | undefined;
}

/** Compiles a plan that has no `fallbackReason`. Undefined for a plan without fetches. */
export function compilePlan({
  graph,
  operation,
  plan,
  primary,
  caching,
}: ExecutionSource): PlanStep | undefined {
  if (!plan.node || plan.node.kind === 'Subscription') return undefined;
  const uploads = uploadVariables(graph.apiSchema, operation);
  return compile(plan.node, [], { graph, primary, uploads, caching });
}

/** A plan, or a part of it, with the parts that are deferred in it. */
export interface DeferrablePlan {
  /** Undefined if there is nothing to fetch. */
  readonly primary: PlanStep | undefined;
  readonly parts: readonly DeferredPart[];
}

export interface DeferredPart extends DeferrablePlan {
  /** As in the document that was planned. */
  readonly label: string;
  /**
   * The ids of the fetches whose answers the part needs. An id occurs as often as the fetches with it: the planner gives the
   * fetches of different fields of a mutation the same ids.
   */
  readonly depends: readonly string[];
}

/** Like `compilePlan`, but for a plan with deferred parts. */
export function compileDeferrable({ graph, operation, plan }: ExecutionSource): DeferrablePlan {
  const uploads = uploadVariables(graph.apiSchema, operation);
  const context = { graph, primary: undefined, uploads };
  return deferrable(plan.node?.kind === 'Subscription' ? undefined : plan.node, context);
}

function deferrable(node: PlanNode | undefined, context: PlanContext): DeferrablePlan {
  if (node?.kind !== 'Defer') return { primary: node && compile(node, [], context), parts: [] };
  const { primary, deferred } = node;
  const ids = fetchesOf({ kind: 'QueryPlan', node: primary.node }).flatMap(({ id }) => id ?? []);
  return {
    primary: primary.node && compile(primary.node, [], context),
    parts: deferred.map((part) => ({
      ...deferrable(part.node, context),
      label: part.label ?? '',
      depends: part.depends.flatMap(({ id }) => [id, ...ids.filter((other) => other === id).slice(1)]),
    })),
  };
}

function compile(node: PlanNode, path: FlattenPath, context: PlanContext): PlanStep {
  switch (node.kind) {
    case 'Sequence':
      return new Sequence(node.nodes.map((child) => compile(child, path, context)));
    case 'Parallel':
      return compileParallel(node.nodes, path, context);
    case 'Flatten':
      return compile(node.node, [...path, ...node.path.map(String)], context);
    case 'Condition':
      return new Condition(node, (child) => child && compile(child, path, context));
    case 'Fetch':
      return awaited(compileFetch(node, path, context), [node]);
    case 'Defer':
      throw new Error('expected @defer at the root of a plan or of a deferred part');
  }
}

function compileParallel(nodes: readonly PlanNode[], path: FlattenPath, context: PlanContext): PlanStep {
  // A fetch that the cache may answer is not merged, because it is often not sent.
  const { merged, others } = mergedBranches(nodes, (fetch) => !context.caching?.policyOf(fetch));
  const steps = others.map((node) => compile(node, path, context));
  for (const one of merged) steps.push(compileMerged(one, path, context));
  const [only, another] = steps;
  return only && !another ? only : new Parallel(steps);
}

/** The merged fetches, and then what runs after each of them. */
function compileMerged(
  { branches, node, names }: MergedBranches,
  path: FlattenPath,
  context: PlanContext,
): PlanStep {
  const { serviceName } = node;
  const subgraph = context.graph.subgraphs.get(serviceName);
  if (!subgraph) return new Failure(missing(serviceName));
  const request = new FetchRequest(node, subgraph, context.uploads);
  const parts = branches.map((branch, index) => ({
    ...(names[index] as MergedNames),
    fetch: entityFetch(branch.fetch, subgraph, [...path, ...branch.path], context),
  }));
  const fetch = awaited(
    new MergedEntityFetch({ serviceName, parts, request }),
    branches.map((branch) => branch.fetch),
  );
  const rests = branches.flatMap(({ rest }): PlanNode[] =>
    rest.length > 0 ? [{ kind: 'Sequence', nodes: [...rest] }] : [],
  );
  if (rests.length === 0) return fetch;
  return new Sequence([fetch, compileParallel(rests, path, context)]);
}

function awaited(step: PlanStep, fetches: readonly FetchNode[]): PlanStep {
  const ids = fetches.flatMap(({ id }) => id ?? []);
  return ids.length > 0 ? new AwaitedFetch(step, ids) : step;
}

function compileFetch(node: FetchNode, path: FlattenPath, context: PlanContext): PlanStep {
  const { serviceName } = node;
  const { graph, primary } = context;
  const subgraph = graph.subgraphs.get(serviceName);
  if (!subgraph) return new Failure(missing(serviceName));
  if (node.requires && node !== primary) return entityFetch(node, subgraph, path, context);
  const rewrite = compileRewrites(node.outputRewrites, graph.supergraphSchema);
  const answer = node === primary ? EVENT : requestFor(node, subgraph, context);
  return new RootFetch({ serviceName, path, rewrite, answer });
}

function entityFetch(
  node: FetchNode,
  subgraph: Subgraph,
  path: FlattenPath,
  context: PlanContext,
): EntityFetch {
  const { supergraphSchema } = context.graph;
  return new EntityFetch({
    serviceName: node.serviceName,
    path,
    representations: representationsOf(node, supergraphSchema),
    rewrite: compileRewrites(node.outputRewrites, supergraphSchema),
    interfaces: sentTypenames(node),
    request: requestFor(node, subgraph, context),
  });
}

/** The writers of the representations, by the variables of an execution. */
function representationsOf(node: FetchNode, schema: GraphQLSchema): EntityFetchOptions['representations'] {
  const requirements = conditionalRequirements(node, schema);
  if (!requirements) {
    const writerOf = compileRepresentations(node, schema);
    return () => writerOf;
  }
  const byRequirements = new WeakMap<object, WriterOf>();
  return (variables) => {
    const requires = requirements(variables);
    const known = byRequirements.get(requires);
    if (known) return known;
    const writerOf = compileRepresentations({ ...node, requires: [...requires] }, schema);
    byRequirements.set(requires, writerOf);
    return writerOf;
  };
}

/** The names of types that the subgraph is asked for instead of those that implement them (`@interfaceObject`). */
const sentTypenames = ({ inputRewrites = [] }: FetchNode): ReadonlySet<unknown> =>
  new Set(
    inputRewrites.flatMap((rewrite) =>
      rewrite.kind === 'ValueSetter' && rewrite.path.at(-1) === '__typename' ? [rewrite.setValueTo] : [],
    ),
  );

/** The request of a fetch, which the shared cache may answer. */
function requestFor(node: FetchNode, subgraph: Subgraph, { uploads, caching }: PlanContext): SentRequest {
  const request = new FetchRequest(node, subgraph, uploads);
  return caching?.requestFor(node, request) ?? request;
}

const missing = (serviceName: string): string => `no subgraph "${serviceName}" in this supergraph`;

class Sequence implements PlanStep {
  private readonly steps: readonly PlanStep[];

  constructor(steps: readonly PlanStep[]) {
    this.steps = steps;
  }

  async run(execution: ExecutionContext): Promise<void> {
    for (const step of this.steps) await step.run(execution);
  }
}

class Parallel implements PlanStep {
  private readonly steps: readonly PlanStep[];

  constructor(steps: readonly PlanStep[]) {
    this.steps = steps;
  }

  async run(execution: ExecutionContext): Promise<void> {
    const running: (Promise<void> | undefined)[] = [];
    for (const step of this.steps) running.push(step.run(execution));
    // No step rejects, so awaiting one after the other ends at the same time as Promise.all and costs less.
    for (const one of running) await one;
  }
}

class Condition implements PlanStep {
  private readonly variable: string;
  private readonly ifTrue: PlanStep | undefined;
  private readonly ifFalse: PlanStep | undefined;

  constructor(node: ConditionNode, compiled: (node: PlanNode | undefined) => PlanStep | undefined) {
    this.variable = node.condition;
    this.ifTrue = compiled(node.ifClause);
    this.ifFalse = compiled(node.elseClause);
  }

  run(execution: ExecutionContext): Promise<void> | undefined {
    const isTrue = execution.request.variables[this.variable] === true;
    return (isTrue ? this.ifTrue : this.ifFalse)?.run(execution);
  }
}

/** A request for fetches on which deferred parts depend; reports each fetch when the request has ended. */
class AwaitedFetch implements PlanStep {
  private readonly fetch: PlanStep;
  private readonly ids: readonly string[];

  constructor(fetch: PlanStep, ids: readonly string[]) {
    this.fetch = fetch;
    this.ids = ids;
  }

  async run(execution: ExecutionContext): Promise<void> {
    await this.fetch.run(execution);
    for (const id of this.ids) execution.onFetched?.(id);
  }
}

class Failure implements PlanStep {
  private readonly message: string;

  constructor(message: string) {
    this.message = message;
  }

  run(execution: ExecutionContext): undefined {
    execution.fail(new Error(this.message));
  }
}

/** Answers the primary fetch with a copy of the event, because each execution merges other subgraphs' answers into it. */
const EVENT = {
  send: async ({ request: { primaryAnswer = { data: null } } }: ExecutionContext) => ({
    ...copyOf(primaryAnswer),
    hasNoEscapes: false,
  }),
};
