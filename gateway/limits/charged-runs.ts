import type { ExecutionResult, GraphQLError, GraphQLFormattedError } from 'graphql';
import { graphqlErrorOf } from '#server/graphql/errors.ts';
import type { ExecutionRequest } from '../execution/execution.ts';
import { resultJson } from '../response/result-json.ts';
import type { ActualCost } from './actual-cost.ts';
import type { Charge, CostBudgets } from './cost-budgets.ts';

interface ChargedOperation {
  /** The estimated cost. */
  costOf(variables: Readonly<Record<string, unknown>>): number;
  readonly actual: ActualCost;
  formatError(error: GraphQLError): GraphQLFormattedError;
}

type Request = Pick<ExecutionRequest, 'variables' | 'context'>;

/** Charges the callers of one operation for its runs. */
export class ChargedRuns {
  private readonly budgets: CostBudgets;
  private readonly operation: ChargedOperation;

  constructor(budgets: CostBudgets, operation: ChargedOperation) {
    this.budgets = budgets;
    this.operation = operation;
  }

  /** Called before the first run. */
  prepare(): void {
    this.operation.actual.prepare();
  }

  /** Its approximate memory. */
  get bytes(): number {
    return this.operation.actual.bytes;
  }

  /** Whether the next run is charged or measured. */
  isDue(): boolean {
    return this.budgets.isDue();
  }

  async json<Answer extends { readonly json: string }>(
    request: Request,
    run: () => Promise<Answer>,
  ): Promise<Answer | { json: string }> {
    const { refusal, settle } = await this.charge(request);
    if (refusal)
      return { json: resultJson({ errors: [graphqlErrorOf(refusal)] }, this.operation.formatError) };
    const answer = await run();
    // Computed after the response is written, because parsing the response takes as long as writing it.
    setImmediate(() => settle(this.operation.actual.of((JSON.parse(answer.json) as ExecutionResult).data)));
    return answer;
  }

  async result(request: Request, run: () => Promise<ExecutionResult>): Promise<ExecutionResult> {
    const { refusal, settle } = await this.charge(request);
    if (refusal) return { errors: [graphqlErrorOf(refusal)] };
    const result = await run();
    settle(this.operation.actual.of(result.data));
    return result;
  }

  /**
   * For a run whose answer is sent in parts: charges the estimate only, because the whole answer is never known at once.
   * @returns whether the caller's budget allows it
   */
  async inParts(request: Request): Promise<boolean> {
    const { refusal } = await this.charge(request);
    return refusal === undefined;
  }

  private charge({ context: { viewer, address }, variables }: Request): Promise<Charge> {
    return this.budgets.charge({ viewer, address }, this.operation.costOf(variables));
  }
}
