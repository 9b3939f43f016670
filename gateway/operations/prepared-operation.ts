import type { FetchNode, QueryPlan } from '@apollo/query-planner';
import {
  getOperationAST,
  getVariableValues,
  GraphQLError,
  OperationTypeNode,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLFormattedError,
  type OperationDefinitionNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { ANONYMOUS, type Viewer } from '#server/auth/viewer.ts';
import { graphqlErrorOf, invalidVariable } from '#server/graphql/errors.ts';
import { asksForSchema } from '#server/graphql/introspection.ts';
import { exceededLimit, sizeOf } from '#server/graphql/limits.ts';
import { refusalOfVariables } from '#server/graphql/variable-limits.ts';
import { grantsOf } from '../authorization/grants.ts';
import { ProtectedFields, type ProtectedField } from '../authorization/protected-fields.ts';
import { permittedPart } from '../authorization/permission.ts';
import type { Requirements } from '../authorization/requirements.ts';
import type { Execution, ExecutionRequest } from '../execution/execution.ts';
import { prepareExecution } from '../plan/prepare-execution.ts';
import { hasErrors, resultJson } from '../response/result-json.ts';
import type { AppliedDirectives } from '#server/graphql/applied-directives.ts';
import type { LoadedGraph } from '../supergraph/loaded-graph.ts';
import type { AnonymousLimits } from '../limits/anonymous-limits.ts';
import { CacheDirectives } from '../cache/cache-directives.ts';
import { maxAgeOf } from '../cache/cache-policy.ts';
import { responsePolicyOf } from '../cache/fetch-policy.ts';
import type { FetchCaching } from '../cache/fetch-caching.ts';
import type { SharedCache } from '../cache/shared-cache.ts';
import { SharedResponses } from '../cache/shared-responses.ts';
import type { OperationClass } from '#server/observability/operation-class.ts';
import type { Attributes, Span } from '#server/observability/tracing.ts';
import { classOf } from '#server/graphql/graph-facts.ts';
import type { GatewayContext } from '../context/gateway-context.ts';
import { ChargedRuns } from '../limits/charged-runs.ts';
import { ActualCost } from '../limits/actual-cost.ts';
import type { CostBudgets } from '../limits/cost-budgets.ts';
import type { OperationUse, UsageReport } from '../usage/usage-report.ts';
import { hasDefer, withoutDefer } from '../defer/defer-directive.ts';
import type { DeferredRun } from '../defer/deferred-run.ts';
import { costCheck, type CostCheck } from '#server/graphql/cost.ts';
import { bytesOfPlan, fetchesOf, servicesOf } from '../plan/plan-fetches.ts';
import type { ResponseCache } from '../cache/response-cache.ts';
import { DeferredOperation } from './deferred-operation.ts';
import { planOperation } from './plan-operation.ts';

export interface OperationOptions extends AnonymousLimits {
  readonly graph: LoadedGraph;
  readonly directives: AppliedDirectives;
  readonly requirements: Requirements;
  /** The maximum cost of one operation of an authenticated caller. */
  readonly costLimit: number;
  readonly assumedListSize: number;
  readonly maxListSize: number;
  readonly responses: ResponseCache;
  /** The cache that all replicas of the gateway share. Absent: there is none. */
  readonly shared?: { readonly cache: SharedCache; readonly caching: FetchCaching } | undefined;
  /** Charges callers for operations. Absent: they are not charged. */
  readonly budgets?: CostBudgets | undefined;
  /** Counts operations, fields and clients. Absent: they are not counted. */
  readonly usage?: Pick<UsageReport, 'of'> | undefined;
  formatError(error: GraphQLError): GraphQLFormattedError;
  /** See `ExecutionOptions`. */
  onFallback?(reason: string): void;
}

/** One run of an operation. */
type OperationRequest = Pick<ExecutionRequest, 'variables' | 'rawVariables' | 'context'>;

export interface JsonAnswer {
  readonly json: string;
  /** How long the response may be cached, and its age; absent if it may not be cached. */
  readonly cached?: CachedAnswer;
}

export interface CachedAnswer {
  readonly maxAgeSeconds: number;
  readonly ageSeconds: number;
  /** How long after `maxAgeSeconds` the client, like the gateway, may use the response while it is fetched again. */
  readonly staleSeconds?: number;
}

/** The execution for all callers who may read the same fields. */
interface Variant {
  readonly execution: Execution;
  /** One for each refused field. */
  readonly errors: readonly GraphQLError[];
  /** The services that the plan fetches from. */
  readonly services: readonly string[];
  /** Its responses that all replicas share; undefined if they may not be cached. */
  readonly responses?: SharedResponses | undefined;
  /** The approximate memory of its plan. */
  readonly bytes: number;
}

/** The maximum number of cached variants of one operation; callers have few different combinations of rights. */
const MAX_VARIANTS = 16;
// Measured on the heap: the memory of an operation without its plans, and of each character of its text.
const BYTES_PER_OPERATION = 10_000;
const BYTES_PER_CHARACTER = 50;

/**
 * An operation that was parsed and validated once, and runs any number of times. It is planned at its first run, after
 * `admit`: a refused operation is never planned, because planning can cost more than the execution.
 */
export class PreparedOperation {
  readonly source: string;
  /** Without `@defer`. */
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** Whether it selects `__schema` or `__type`, for which a caller needs the right to introspection. */
  readonly asksForSchema: boolean;
  /** Its class in the metrics. */
  readonly kind: OperationClass;
  /** Its attributes in spans. */
  readonly attributes: Attributes;
  /** Its execution in parts; undefined if its document has no `@defer`. */
  private readonly deferred: DeferredOperation | undefined;
  private readonly options: OperationOptions;
  /** Called after each planning, which adds to `bytes`. */
  private readonly onPlanned: () => void;
  private readonly protectedFields: ProtectedFields;
  private readonly checkCost: CostCheck;
  /** Whether its text is within the limits of callers without a token. */
  private readonly isSmall: boolean;
  private readonly maxAgeSeconds: number;
  private readonly use: OperationUse | undefined;
  private readonly charges: ChargedRuns | undefined;
  /** By the mask of the caller's grants; `''` if the caller may read every field. */
  private readonly variants = new LRUCache<string, Variant>({ max: MAX_VARIANTS });

  constructor(
    source: string,
    sent: DocumentNode,
    sentOperation: OperationDefinitionNode,
    options: OperationOptions,
    onPlanned: () => void = () => undefined,
  ) {
    const { graph, requirements, directives } = options;
    const schema = graph.apiSchema;
    const deferred = hasDefer(sent) ? new DeferredOperation(sent, sentOperation, options) : undefined;
    const document = deferred ? withoutDefer(sent) : sent;
    const operation = getOperationAST(document, sentOperation.name?.value) ?? sentOperation;
    this.source = source;
    this.document = document;
    this.operation = operation;
    this.deferred = deferred;
    this.options = options;
    this.onPlanned = onPlanned;
    this.protectedFields = new ProtectedFields(schema, requirements, document, operation);
    this.checkCost = costCheck(document, operation, {
      ...options,
      schema,
      ...(deferred && { more: (variables) => deferred.costOf(variables) }),
    });
    this.isSmall =
      source.length <= options.anonymousLimits.characters &&
      exceededLimit(sizeOf(sent), options.anonymousLimits) === undefined;
    this.maxAgeSeconds = maxAgeOf(document, operation, schema, new CacheDirectives(directives));
    this.charges =
      options.budgets &&
      new ChargedRuns(options.budgets, {
        costOf: this.checkCost.of,
        actual: new ActualCost(document, operation, { schema, directives }),
        formatError: options.formatError,
      });
    this.use = options.usage?.of(schema, document, operation, source);
    this.asksForSchema = asksForSchema(document);
    this.kind = classOf(operation);
    this.attributes = operationAttributes(operation);
  }

  /** Plans it before its first run, for callers who may read every field. */
  warmUp(): void {
    this.variant('', [], undefined);
  }

  /** Its approximate memory, with all plans. */
  get bytes(): number {
    let bytes = BYTES_PER_OPERATION + BYTES_PER_CHARACTER * this.source.length;
    for (const variant of this.variants.values()) bytes += variant.bytes;
    return bytes + (this.deferred?.bytes ?? 0) + (this.charges?.bytes ?? 0);
  }

  /** Whether it can be executed in parts, with some variables at least. */
  get hasDefer(): boolean {
    return this.deferred !== undefined;
  }

  /**
   * Whether a caller without a token may run the operation, too. Its text was measured when it was prepared.
   * @param coerced the variables that `admit` returned with the limits of callers with a token
   */
  isForAnonymous(coerced: Readonly<Record<string, unknown>>): boolean {
    return this.isSmall && !this.checkCost(coerced, ANONYMOUS);
  }

  /**
   * Coerces the variables and checks the operation's cost.
   * @param viewer 'anybody' if the caller is not known yet: the limits of callers with a token apply
   * @returns errors if the variables are invalid, or if the operation costs too much with them
   */
  admit(
    given: Readonly<Record<string, unknown>>,
    viewer: Viewer | 'anybody',
  ): { coerced: Readonly<Record<string, unknown>> } | { errors: readonly GraphQLError[] } {
    const tooLarge = refusalOfVariables(given);
    if (tooLarge) return { errors: [graphqlErrorOf(tooLarge)] };
    const { errors, coerced } = getVariableValues(
      this.options.graph.apiSchema,
      this.operation.variableDefinitions ?? [],
      given,
    );
    if (errors) return { errors: errors.map(invalidVariable) };
    const excess = this.deferred?.refusalOf(coerced);
    if (excess) return { errors: [excess] };
    const refusal = this.checkCost(coerced, viewer);
    return refusal ? { errors: [graphqlErrorOf(refusal)] } : { coerced };
  }

  /** The response as JSON text. `request.variables` are those that `admit` returned. */
  toJson(request: OperationRequest): Promise<JsonAnswer> {
    return this.charges?.isDue() ? this.charges.json(request, () => this.json(request)) : this.json(request);
  }

  /** The response as values, its errors unformatted. `request.variables` are those that `admit` returned. */
  toResult(request: OperationRequest): Promise<ExecutionResult> {
    return this.charges?.isDue()
      ? this.charges.result(request, () => this.result(request))
      : this.result(request);
  }

  private async json(request: OperationRequest): Promise<JsonAnswer> {
    this.begin(request);
    const variant = this.variantFor(request.context);
    const execution = variant.errors.length > 0 ? { ...request, errors: variant.errors } : request;
    const shared = await variant.responses?.answer(execution, variant.execution);
    if (shared) return shared;
    if (this.mayCache(request) && variant.errors.length === 0) return this.fromCache(variant, execution);
    const json = await variant.execution.toJson(execution);
    this.afterWrites(variant.services);
    return { json };
  }

  private async result(request: OperationRequest): Promise<ExecutionResult> {
    this.begin(request);
    const variant = this.variantFor(request.context);
    if (request.context.executed) request.context.executed.operation = this;
    const result = await variant.execution.toResult({ ...request, errors: variant.errors });
    this.afterWrites(variant.services);
    return result;
  }

  /**
   * Whether it is executed in parts with these variables, and the caller has enough left of their budget. An answer in parts
   * is charged with its estimate, because the whole answer is never known at once. If the budget is spent, the calling code
   * executes the operation as a whole, and that execution is refused.
   */
  async mayRunInParts(request: OperationRequest): Promise<boolean> {
    if (!this.deferred || this.asksForSchema || !this.deferred.runsInParts(request, this.onPlanned))
      return false;
    return !this.charges?.isDue() || this.charges.inParts(request);
  }

  /**
   * Runs it in parts. Undefined if nothing of it is deferred with these variables, or if it can only be executed as a whole.
   * `request.variables` are those that `admit` returned. Nothing of it is cached.
   */
  inParts(request: OperationRequest): DeferredRun | undefined {
    if (!this.deferred?.runsInParts(request, this.onPlanned) || this.asksForSchema) return undefined;
    this.begin(request);
    if (request.context.executed) request.context.executed.operation = this;
    // Called when the primary part is complete, because only root fields of a mutation write, and they belong to this part.
    return this.deferred.run(request, this.onPlanned, (services) => this.afterWrites(services));
  }

  private afterWrites(services: readonly string[]): void {
    if (this.operation.operation === OperationTypeNode.MUTATION) this.options.responses.invalidate(services);
  }

  private begin({ context, rawVariables }: OperationRequest): void {
    this.use?.count(context.clientName);
    context.keyed?.begin({
      source: this.source,
      operationName: this.operation.name?.value,
      rawVariables,
    });
  }

  /** False if headers of the client are forwarded: an answer may depend on them, and the key of the cache has none of them. */
  private mayCache({ context }: OperationRequest): boolean {
    return this.maxAgeSeconds > 0 && context.forwarded === undefined;
  }

  private async fromCache(variant: Variant, request: ExecutionRequest): Promise<JsonAnswer> {
    const { responses } = this.options;
    const { maxAgeSeconds } = this;
    const key = responses.keyOf(
      `${this.operation.name?.value ?? ''}\n${this.source}`,
      request.variables,
      request.context.viewer,
    );
    const known = responses.get(key);
    if (known) return { json: known.json, cached: { maxAgeSeconds, ageSeconds: known.ageSeconds } };
    const { invalidations } = responses;
    const json = await variant.execution.toJson({ ...request, dataState: String(invalidations) });
    // A mutation that ended meanwhile may have made the response outdated.
    if (hasErrors(json) || invalidations !== responses.invalidations) return { json };
    responses.set(key, json, variant.services, maxAgeSeconds);
    return { json, cached: { maxAgeSeconds, ageSeconds: 0 } };
  }

  private variantFor({ viewer, span }: GatewayContext): Variant {
    const grants = grantsOf(viewer);
    const mask = this.protectedFields.maskOf(grants);
    return this.variants.get(mask) ?? this.variant(mask, this.protectedFields.refusedTo(grants), span);
  }

  private variant(mask: string, refused: readonly ProtectedField[], span: Span | undefined): Variant {
    const planning = span?.child('plan');
    const variant = this.planned(refused);
    planning?.end();
    this.charges?.prepare();
    this.variants.set(mask, variant);
    this.onPlanned();
    return variant;
  }

  private sharedResponses(fetches: readonly FetchNode[]): SharedResponses | undefined {
    const { shared, graph } = this.options;
    if (!shared || this.operation.operation !== OperationTypeNode.QUERY || this.asksForSchema)
      return undefined;
    const policy = responsePolicyOf(fetches.map((fetch) => shared.caching.policyOf(fetch)));
    return (
      policy &&
      new SharedResponses(shared.cache, policy, [graph.sdl, this.source, this.operation.name?.value ?? ''])
    );
  }

  /** A refusal is cached like a plan, so that it is computed once. */
  private planned(refused: readonly ProtectedField[]): Variant {
    const { graph, formatError, onFallback } = this.options;
    const { document, errors, removeRefusedValues } =
      refused.length > 0
        ? permittedPart(this.document, this.operation, refused)
        : { document: this.document, errors: [], removeRefusedValues: undefined };
    try {
      const plan = document ? planOperation(graph, document, this.operation) : NOTHING_TO_FETCH;
      const fetches = fetchesOf(plan);
      const execution = prepareExecution(
        {
          graph,
          document: this.document,
          operation: this.operation,
          plan,
          removeRefusedValues,
          caching:
            this.operation.operation === OperationTypeNode.QUERY ? this.options.shared?.caching : undefined,
        },
        { formatError, ...(onFallback && { onFallback }) },
      );
      return {
        execution,
        errors,
        services: servicesOf(fetches),
        responses: errors.length > 0 ? undefined : this.sharedResponses(fetches),
        bytes: bytesOfPlan(fetches),
      };
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      return { execution: refusal(error, formatError), errors: [], services: [], bytes: 0 };
    }
  }
}

/** Returns only the error for every run. */
const refusal = (error: GraphQLError, formatError: OperationOptions['formatError']): Execution => ({
  by: 'compiled',
  toJson: async () => resultJson({ errors: [error] }, formatError),
  toResult: async () => ({ errors: [error] }),
});

/** The plan if every selected field is refused. */
const NOTHING_TO_FETCH: QueryPlan = { kind: 'QueryPlan' };

/** By the semantic conventions for GraphQL servers; the document is left out, because it may contain values. */
const operationAttributes = ({ operation, name }: OperationDefinitionNode): Attributes => ({
  'graphql.operation.type': operation,
  'graphql.operation.name': name?.value.slice(0, MAX_NAME),
});

const MAX_NAME = 64;
