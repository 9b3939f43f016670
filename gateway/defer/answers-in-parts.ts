import type { ExecutionResult, GraphQLError, GraphQLFormattedError } from 'graphql';
import { Gauge, type Metrics } from '#server/observability/metrics.ts';
import type { GatewayContext } from '../context/gateway-context.ts';
import type { PreparedOperation } from '../operations/prepared-operation.ts';
import type { DeferredRun } from './deferred-run.ts';
import {
  failsIn,
  incrementalResult,
  type IncrementalForm,
  type IncrementalResult,
} from './incremental-result.ts';

/**
 * The maximum number of answers in parts at a time, because each keeps a connection and copies of its data until its last part
 * is sent. Further operations are answered whole.
 */
const MAX_OPEN = 1_000;

interface AnswersInPartsOptions {
  metrics: Metrics;
  /** An error as the client may see it. */
  formatError(error: GraphQLError): GraphQLFormattedError;
  /** Default: 1,000. */
  maxOpen?: number;
}

type OperationRequest = Parameters<PreparedOperation['inParts']>[0];

/** The answers that are sent in parts now, at all doors. */
export class AnswersInParts {
  private readonly options: AnswersInPartsOptions;
  private readonly maxOpen: number;
  private open = 0;

  constructor(options: AnswersInPartsOptions) {
    this.options = options;
    this.maxOpen = options.maxOpen ?? MAX_OPEN;
    const count = (): number => this.open;
    // oxlint-disable-next-line no-new -- the registry keeps it
    new Gauge({
      name: 'gateway_open_answers_in_parts',
      help: 'Operations with @defer whose last part is not sent yet.',
      registers: [options.metrics.registry],
      collect() {
        this.set(count());
      },
    });
  }

  /**
   * Undefined if the operation has to be answered whole; it is neither charged nor counted then.
   * @param onOver called after the last part, or when the client leaves
   */
  async begin(
    operation: PreparedOperation,
    request: OperationRequest,
    form: IncrementalForm,
    onOver: (answer: AnswerInParts) => void = () => undefined,
  ): Promise<AnswerInParts | undefined> {
    if (!operation.hasDefer || this.open >= this.maxOpen) return undefined;
    this.open += 1; // before `mayRunInParts`, which charges the operation: meanwhile no other one can take its place
    let run: DeferredRun | undefined;
    try {
      if (await operation.mayRunInParts(request)) run = operation.inParts(request);
    } finally {
      if (!run) this.open -= 1;
    }
    if (!run) return undefined;
    const answer = new AnswerInParts(run, {
      context: request.context,
      shown: (delivery) => incrementalResult(delivery, form, this.options.formatError),
      onEnd: () => {
        this.open -= 1;
        onOver(answer);
      },
    });
    return answer;
  }
}

interface AnswerOptions {
  context: GatewayContext;
  shown(delivery: Parameters<typeof incrementalResult>[0]): IncrementalResult;
  /** Called once. */
  onEnd(): void;
}

/** The messages of one answer, as the client gets them. If the client leaves, the requests for its parts end. */
export class AnswerInParts implements AsyncIterableIterator<ExecutionResult & { hasNext: boolean }> {
  /** Whether a part so far has failed because of the platform. */
  hasFailed = false;
  /** Whether the client left before the last part. */
  isLeft = false;
  private readonly run: DeferredRun;
  private readonly options: AnswerOptions;
  private isOver = false;

  constructor(run: DeferredRun, options: AnswerOptions) {
    this.run = run;
    this.options = options;
  }

  async next(): Promise<IteratorResult<ExecutionResult & { hasNext: boolean }, undefined>> {
    try {
      const { done, value } = await this.run.next();
      if (done) {
        this.end();
        return { done: true, value: undefined };
      }
      const result = this.options.shown(value);
      this.hasFailed ||= failsIn(result);
      if (!result.hasNext) this.end();
      return { done: false, value: result as ExecutionResult & { hasNext: boolean } }; // formatted errors instead of GraphQLErrors
    } catch (error) {
      this.hasFailed = true;
      this.end();
      throw error;
    }
  }

  async return(): Promise<IteratorResult<never, undefined>> {
    this.isLeft = !this.isOver;
    if (this.isLeft) this.options.context.client?.leave();
    this.end();
    await this.run.return();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  private end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.options.onEnd();
  }
}
