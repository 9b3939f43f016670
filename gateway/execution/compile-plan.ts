import type { ConditionNode, FetchNode, PlanNode } from '@apollo/query-planner';
import type { LoadedGraph } from '../supergraph/loaded-graph.ts';
import { EntityFetch } from './entity-fetch.ts';
import type { ExecutionSource } from './execution.ts';
import { FetchRequest } from './fetch-request.ts';
import { copyOf } from './merge.ts';
import { compileRepresentations } from './representations.ts';
import type { FlattenPath } from './response-path.ts';
import { compileRewrites } from './rewrites.ts';
import { RootFetch } from './root-fetch.ts';
import type { Run } from './run.ts';
import type { Step } from './step.ts';
import { uploadVariables } from './upload-variables.ts';

interface PlanContext {
  readonly graph: LoadedGraph;
  readonly primary: FetchNode | undefined;
  readonly uploads: ReadonlySet<string>;
}

/** The steps of a plan of which `reasonAgainstCompiling` found nothing; undefined for one that fetches nothing. */
export function compilePlan({ graph, operation, plan, primary }: ExecutionSource): Step | undefined {
  if (!plan.node || plan.node.kind === 'Subscription') return undefined;
  const uploads = uploadVariables(graph.apiSchema, operation);
  return compile(plan.node, [], { graph, primary, uploads });
}

function compile(node: PlanNode, path: FlattenPath, context: PlanContext): Step {
  switch (node.kind) {
    case 'Sequence':
      return new Sequence(node.nodes.map((child) => compile(child, path, context)));
    case 'Parallel':
      return new Parallel(node.nodes.map((child) => compile(child, path, context)));
    case 'Flatten':
      return compile(node.node, [...path, ...node.path.map(String)], context);
    case 'Condition':
      return new Condition(node, (child) => child && compile(child, path, context));
    case 'Fetch':
      return compileFetch(node, path, context);
    case 'Defer':
      throw new Error('@defer is not supported');
  }
}

function compileFetch(node: FetchNode, path: FlattenPath, { graph, primary, uploads }: PlanContext): Step {
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

class Sequence implements Step {
  private readonly steps: readonly Step[];

  constructor(steps: readonly Step[]) {
    this.steps = steps;
  }

  async run(run: Run): Promise<void> {
    for (const step of this.steps) await step.run(run);
  }
}

class Parallel implements Step {
  private readonly steps: readonly Step[];

  constructor(steps: readonly Step[]) {
    this.steps = steps;
  }

  async run(run: Run): Promise<void> {
    const running: (Promise<void> | undefined)[] = [];
    for (const step of this.steps) running.push(step.run(run));
    // None rejects: one after the other costs less than Promise.all and ends at the same time.
    for (const one of running) await one;
  }
}

class Condition implements Step {
  private readonly variable: string;
  private readonly ifTrue: Step | undefined;
  private readonly ifFalse: Step | undefined;

  constructor(node: ConditionNode, compiled: (node: PlanNode | undefined) => Step | undefined) {
    this.variable = node.condition;
    this.ifTrue = compiled(node.ifClause);
    this.ifFalse = compiled(node.elseClause);
  }

  run(run: Run): Promise<void> | undefined {
    return (run.request.variables[this.variable] === true ? this.ifTrue : this.ifFalse)?.run(run);
  }
}

class Failure implements Step {
  private readonly message: string;

  constructor(message: string) {
    this.message = message;
  }

  run(run: Run): undefined {
    run.fail(new Error(this.message));
  }
}

/** A copy of the event, because other subgraphs' answers are merged into it, once for each subscriber. */
const EVENT = {
  send: async ({ request: { primaryAnswer = { data: null } } }: Run) => ({
    ...copyOf(primaryAnswer),
    isPlain: false,
  }),
};
