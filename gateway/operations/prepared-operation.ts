import type { QueryPlan } from '@apollo/query-planner';
import { operationFromDocument } from '@apollo/federation-internals';
import {
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
import { PlatformError } from '#server/errors.ts';
import { graphqlErrorOf } from '#server/graphql/errors.ts';
import { asksForSchema } from '#server/graphql/introspection.ts';
import { exceededLimit, sizeOf } from '#server/graphql/limits.ts';
import { refusalOfVariables } from '#server/graphql/variable-limits.ts';
import { grantsOf, type Grants } from '../authorization/grants.ts';
import { ProtectedFields, type ProtectedField } from '../authorization/protected-fields.ts';
import { permittedPart } from '../authorization/permission.ts';
import type { Requirements } from '../authorization/requirements.ts';
import type { Execution, ExecutionRequest } from '../execution/execution.ts';
import { prepareExecution } from '../plan/prepare-execution.ts';
import { hasErrors, resultJson } from '../response/result-json.ts';
import type { AppliedDirectives } from '#server/graphql/applied-directives.ts';
import type { LoadedGraph } from '../supergraph/loaded-graph.ts';
import type { AnonymousLimits } from '../limits/anonymous-limits.ts';
import { maxAgeOf } from '../cache/cache-policy.ts';
import { costCheck, type CostCheck } from '#server/graphql/cost.ts';
import { bytesOfPlan, fetchesOf, servicesOf } from '../plan/plan-fetches.ts';
import type { ResponseCache } from '../cache/response-cache.ts';

export interface OperationOptions extends AnonymousLimits {
  readonly graph: LoadedGraph;
  readonly directives: AppliedDirectives;
  readonly requirements: Requirements;
  /** The maximum cost of one operation of an authenticated caller. */
  readonly costLimit: number;
  readonly assumedListSize: number;
  readonly maxListSize: number;
  readonly responses: ResponseCache;
  formatError(error: GraphQLError): GraphQLFormattedError;
  /** See `ExecutionOptions`. */
  onFallback?(reason: string): void;
}

/** One run of an operation. */
type OperationRequest = Pick<ExecutionRequest, 'variables' | 'rawVariables' | 'context'>;

export interface JsonAnswer {
  readonly json: string;
  /** How long the response may be cached, and its age; absent if it may not be cached. */
  readonly cached?: { maxAgeSeconds: number; ageSeconds: number };
}

/** The execution for all callers who may read the same fields. */
interface Variant {
  readonly execution: Execution;
  /** One for each refused field. */
  readonly errors: readonly GraphQLError[];
  /** The services that the plan fetches from. */
  readonly services: readonly string[];
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
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** Whether it selects `__schema` or `__type`, for which a caller needs the right to introspection. */
  readonly asksForSchema: boolean;
  private readonly options: OperationOptions;
  /** Called after each planning, which adds to `bytes`. */
  private readonly onPlanned: () => void;
  private readonly protectedFields: ProtectedFields;
  private readonly checkCost: CostCheck;
  /** Whether its text is within the limits of callers without a token. */
  private readonly isSmall: boolean;
  private readonly maxAgeSeconds: number;
  /** By the mask of the caller's grants; `''` if the caller may read every field. */
  private readonly variants = new LRUCache<string, Variant>({ max: MAX_VARIANTS });

  constructor(
    source: string,
    document: DocumentNode,
    operation: OperationDefinitionNode,
    options: OperationOptions,
    onPlanned: () => void = () => undefined,
  ) {
    const { graph, requirements, directives } = options;
    const schema = graph.apiSchema;
    this.source = source;
    this.document = document;
    this.operation = operation;
    this.options = options;
    this.onPlanned = onPlanned;
    this.protectedFields = new ProtectedFields(schema, requirements, document, operation);
    this.checkCost = costCheck(document, operation, { ...options, schema });
    this.isSmall =
      source.length <= options.anonymousLimits.characters &&
      exceededLimit(sizeOf(document), options.anonymousLimits) === undefined;
    this.maxAgeSeconds = maxAgeOf(document, operation, schema, directives);
    this.asksForSchema = asksForSchema(document);
  }

  /** Plans it before its first run, for callers who may read every field. */
  warmUp(): void {
    this.variant('', []);
  }

  /** Its approximate memory, with all plans. */
  get bytes(): number {
    let bytes = BYTES_PER_OPERATION + BYTES_PER_CHARACTER * this.source.length;
    for (const variant of this.variants.values()) bytes += variant.bytes;
    return bytes;
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
    if (errors) return { errors };
    const refusal = this.checkCost(coerced, viewer);
    return refusal ? { errors: [graphqlErrorOf(refusal)] } : { coerced };
  }

  /** The response as JSON text. `request.variables` are those that `admit` returned. */
  async toJson(request: OperationRequest): Promise<JsonAnswer> {
    this.beginKeyed(request);
    const variant = this.variantFor(grantsOf(request.context.viewer));
    const execution = variant.errors.length > 0 ? { ...request, errors: variant.errors } : request;
    if (this.maxAgeSeconds > 0 && variant.errors.length === 0) return this.fromCache(variant, execution);
    const json = await variant.execution.toJson(execution);
    if (this.operation.operation === OperationTypeNode.MUTATION)
      this.options.responses.invalidate(variant.services);
    return { json };
  }

  /** The response as values, its errors unformatted. `request.variables` are those that `admit` returned. */
  async toResult(request: OperationRequest): Promise<ExecutionResult> {
    this.beginKeyed(request);
    const variant = this.variantFor(grantsOf(request.context.viewer));
    const result = await variant.execution.toResult({ ...request, errors: variant.errors });
    if (this.operation.operation === OperationTypeNode.MUTATION)
      this.options.responses.invalidate(variant.services);
    return result;
  }

  private beginKeyed({ context, rawVariables }: OperationRequest): void {
    context.keyed?.begin({
      source: this.source,
      operationName: this.operation.name?.value,
      rawVariables,
    });
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
    const json = await variant.execution.toJson(request);
    // A mutation that ended meanwhile may have made the response outdated.
    if (hasErrors(json) || invalidations !== responses.invalidations) return { json };
    responses.set(key, json, variant.services, maxAgeSeconds);
    return { json, cached: { maxAgeSeconds, ageSeconds: 0 } };
  }

  private variantFor(grants: Grants): Variant {
    const mask = this.protectedFields.maskOf(grants);
    return this.variants.get(mask) ?? this.variant(mask, this.protectedFields.refusedTo(grants));
  }

  private variant(mask: string, refused: readonly ProtectedField[]): Variant {
    const variant = this.planned(refused);
    this.variants.set(mask, variant);
    this.onPlanned();
    return variant;
  }

  /** A refusal is cached like a plan, so that it is computed once. */
  private planned(refused: readonly ProtectedField[]): Variant {
    const { graph, formatError, onFallback } = this.options;
    const { document, errors, removeRefusedValues } =
      refused.length > 0
        ? permittedPart(this.document, this.operation, refused)
        : { document: this.document, errors: [], removeRefusedValues: undefined };
    try {
      const plan = document ? this.planOf(document) : NOTHING_TO_FETCH;
      const fetches = fetchesOf(plan);
      const execution = prepareExecution(
        { graph, document: this.document, operation: this.operation, plan, removeRefusedValues },
        { formatError, ...(onFallback && { onFallback }) },
      );
      return { execution, errors, services: servicesOf(fetches), bytes: bytesOfPlan(fetches) };
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      return { execution: refusal(error, formatError), errors: [], services: [], bytes: 0 };
    }
  }

  /** @throws GraphQLError if the planner fails */
  private planOf(document: DocumentNode): QueryPlan {
    const { planner, federatedApiSchema } = this.options.graph;
    const operationName = this.operation.name?.value;
    try {
      return planner.buildQueryPlan(
        operationFromDocument(federatedApiSchema, document, operationName ? { operationName } : {}),
      );
    } catch (cause) {
      throw unplannable(cause);
    }
  }
}

/** The planner fails on some valid operations, such as nested fragments on many interfaces. */
const unplannable = (cause: unknown): GraphQLError =>
  graphqlErrorOf(
    new PlatformError(
      'OPERATION_LIMIT_EXCEEDED',
      'No plan can be made for this operation: select fewer fields, or nest fewer fragments.',
      { cause },
    ),
  );

/** Returns only the error for every run. */
const refusal = (error: GraphQLError, formatError: OperationOptions['formatError']): Execution => ({
  by: 'compiled',
  toJson: async () => resultJson({ errors: [error] }, formatError),
  toResult: async () => ({ errors: [error] }),
});

/** The plan if every selected field is refused. */
const NOTHING_TO_FETCH: QueryPlan = { kind: 'QueryPlan' };
