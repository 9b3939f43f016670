import type { ConditionNode, FetchNode, PlanNode } from '@apollo/query-planner';
import type { ExecutionContext } from '../execution/execution-context.ts';
import type { ExecutionSource } from '../execution/execution.ts';
import type { PlanStep } from '../execution/plan-step.ts';
import { EntityFetch } from '../fetch/entity-fetch.ts';
import { FetchRequest } from '../fetch/fetch-request.ts';
import { copyOf } from '../fetch/merge.ts';
import { compileRepresentations } from '../fetch/representations.ts';
import { compileRewrites } from '../fetch/rewrites.ts';
import { RootFetch } from '../fetch/root-fetch.ts';
import { uploadVariables } from '../fetch/upload-variables.ts';
import type { FlattenPath } from '../response/response-path.ts';
import type { LoadedGraph } from '../supergraph/loaded-graph.ts';

interface PlanContext {
  readonly graph: LoadedGraph;
  readonly primary: FetchNode | undefined;
  readonly uploads: ReadonlySet<string>;
}

/** Compiles a plan that has no `fallbackReason`. Undefined for a plan without fetches. */
export function compilePlan({ graph, operation, plan, primary }: ExecutionSource): PlanStep | undefined {
  if (!plan.node || plan.node.kind === 'Subscription') return undefined;
  const uploads = uploadVariables(graph.apiSchema, operation);
  return compile(plan.node, [], { graph, primary, uploads });
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
  /** The ids of the fetches whose answers the part needs. */
  readonly depends: readonly string[];
}

/** The same for a plan with deferred parts. */
export function compileDeferrable({ graph, operation, plan }: ExecutionSource): DeferrablePlan {
  const uploads = uploadVariables(graph.apiSchema, operation);
  const context = { graph, primary: undefined, uploads };
  return deferrable(plan.node?.kind === 'Subscription' ? undefined : plan.node, context);
}

function deferrable(node: PlanNode | undefined, context: PlanContext): DeferrablePlan {
  if (node?.kind !== 'Defer') return { primary: node && compile(node, [], context), parts: [] };
  const { primary, deferred } = node;
  return {
    primary: primary.node && compile(primary.node, [], context),
    parts: deferred.map((part) => ({
      ...deferrable(part.node, context),
      label: part.label ?? '',
      depends: part.depends.map(({ id }) => id),
    })),
  };
}

function compile(node: PlanNode, path: FlattenPath, context: PlanContext): PlanStep {
  switch (node.kind) {
    case 'Sequence':
      return new Sequence(node.nodes.map((child) => compile(child, path, context)));
    case 'Parallel':
      return new Parallel(node.nodes.map((child) => compile(child, path, context)));
    case 'Flatten':
      return compile(node.node, [...path, ...node.path.map(String)], context);
    case 'Condition':
      return new Condition(node, (child) => child && compile(child, path, context));
    case 'Fetch': {
      const step = compileFetch(node, path, context);
      return node.id === undefined ? step : new AwaitedFetch(step, node.id);
    }
    case 'Defer':
      throw new Error('expected @defer at the root of a plan or of a deferred part');
  }
}

function compileFetch(
  node: FetchNode,
  path: FlattenPath,
  { graph, primary, uploads }: PlanContext,
): PlanStep {
  const { serviceName } = node;
  const subgraph = graph.subgraphs.get(serviceName);
  if (!subgraph) return new Failure(`no subgraph "${serviceName}" in this supergraph`);
  const rewrite = compileRewrites(node.outputRewrites, graph.supergraphSchema);
  if (node === primary) return new RootFetch({ serviceName, path, rewrite, answer: EVENT });
  const request = new FetchRequest(node, subgraph, uploads);
  if (!node.requires) return new RootFetch({ serviceName, path, rewrite, answer: request });
  const representationOf = compileRepresentations(node, graph.supergraphSchema);
  return new EntityFetch({ serviceName, path, representationOf, rewrite, request });
}

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

/** A fetch on which a deferred part depends. */
class AwaitedFetch implements PlanStep {
  private readonly fetch: PlanStep;
  private readonly id: string;

  constructor(fetch: PlanStep, id: string) {
    this.fetch = fetch;
    this.id = id;
  }

  async run(execution: ExecutionContext): Promise<void> {
    await this.fetch.run(execution);
    execution.onFetched?.(this.id);
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
