import type { QueryPlan } from '@apollo/query-planner';
import { operationFromDocument } from '@apollo/federation-internals';
import {
  getVariableValues,
  OperationTypeNode,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLFormattedError,
  type OperationDefinitionNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { PlatformError } from '#server/errors.ts';
import { graphqlErrorOf } from '#server/graphql/errors.ts';
import { isTooDeep, tooDeep } from '#server/http/json-body.ts';
import { grantsOf, type Grants } from '../authorization/grants.ts';
import { ProtectedFields } from '../authorization/protected-fields.ts';
import { permittedPart } from '../authorization/permission.ts';
import type { Requirements } from '../authorization/requirements.ts';
import type { Execution, ExecutionRequest } from '../execution/execution.ts';
import { prepareExecution } from '../execution/prepare-execution.ts';
import type { AppliedDirectives } from '../supergraph/applied-directives.ts';
import type { LoadedGraph } from '../supergraph/loaded-graph.ts';
import { maxAgeOf } from './cache-policy.ts';
import { costOf, tooCostly, type Cost } from './cost.ts';
import { fetchedServices } from './fetched-services.ts';
import type { ResponseCache } from './response-cache.ts';

export interface OperationOptions {
  readonly graph: LoadedGraph;
  readonly directives: AppliedDirectives;
  readonly requirements: Requirements;
  /** Most that one operation may cost. */
  readonly costLimit: number;
  readonly assumedListSize: number;
  readonly maxListSize: number;
  readonly responses: ResponseCache;
  formatError(error: GraphQLError): GraphQLFormattedError;
  /** An operation cannot be compiled and runs by @apollo/gateway's executor. */
  onFallback?(reason: string): void;
}

/** One run of an operation. */
export type OperationRequest = Pick<ExecutionRequest, 'variables' | 'rawVariables' | 'context'>;

export interface JsonAnswer {
  readonly json: string;
  /** For how long it may be given again, and since when it is; absent where it may not. */
  readonly cached?: { maxAgeSeconds: number; ageSeconds: number };
}

/** What runs for callers who get and are refused the same fields. */
interface Variant {
  readonly execution: Execution;
  readonly errors: readonly GraphQLError[];
}

/** A document that was parsed, validated and planned once; run as often as it is asked for. */
export class PreparedOperation {
  readonly source: string;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  private readonly options: OperationOptions;
  private readonly protectedFields: ProtectedFields;
  private readonly cost: Cost;
  private readonly maxAgeSeconds: number;
  private readonly services: readonly string[];
  /** By the mask of the caller's grants; `''` where everything is hers. */
  private readonly variants = new LRUCache<string, Variant>({ max: 16 });

  constructor(
    source: string,
    document: DocumentNode,
    operation: OperationDefinitionNode,
    options: OperationOptions,
  ) {
    const { graph, requirements, directives, assumedListSize, maxListSize } = options;
    const schema = graph.apiSchema;
    this.source = source;
    this.document = document;
    this.operation = operation;
    this.options = options;
    this.protectedFields = new ProtectedFields(schema, requirements, document, operation);
    this.cost = costOf(document, operation, { schema, directives, assumedListSize, maxListSize });
    this.maxAgeSeconds = maxAgeOf(document, operation, schema, directives);
    const plan = this.planOf(document);
    this.services = fetchedServices(plan);
    this.variants.set('', { execution: this.executionOf(plan), errors: [] });
  }

  /** The variables as they are used. @returns errors where they do not fit, or make it cost too much */
  admit(
    given: Readonly<Record<string, unknown>>,
  ): { coerced: Readonly<Record<string, unknown>> } | { errors: readonly GraphQLError[] } {
    if (isTooDeep(given)) return { errors: [graphqlErrorOf(tooDeep())] };
    const { errors, coerced } = getVariableValues(
      this.options.graph.apiSchema,
      this.operation.variableDefinitions ?? [],
      given,
    );
    if (errors) return { errors };
    const cost = this.cost(coerced);
    if (cost > this.options.costLimit)
      return { errors: [graphqlErrorOf(tooCostly(cost, this.options.costLimit))] };
    return { coerced };
  }

  /** The response as JSON text; `coerced` is what `admit` gave. */
  async toJson(request: OperationRequest): Promise<JsonAnswer> {
    const variant = this.variantFor(grantsOf(request.context.viewer));
    const execution = variant.errors.length > 0 ? { ...request, errors: variant.errors } : request;
    if (this.maxAgeSeconds > 0 && variant.errors.length === 0) return this.fromCache(variant, execution);
    const json = await variant.execution.toJson(execution);
    if (this.operation.operation === OperationTypeNode.MUTATION) this.options.responses.forget(this.services);
    return { json };
  }

  /** The response as values, its errors raw; `coerced` is what `admit` gave. */
  async toResult(request: OperationRequest): Promise<ExecutionResult> {
    const variant = this.variantFor(grantsOf(request.context.viewer));
    const result = await variant.execution.toResult({ ...request, errors: variant.errors });
    if (this.operation.operation === OperationTypeNode.MUTATION) this.options.responses.forget(this.services);
    return result;
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
    const { mutations } = responses;
    const json = await variant.execution.toJson(request);
    // What was read while something was written may be old already.
    if (hasErrors(json) || mutations !== responses.mutations) return { json };
    responses.set(key, json, this.services, maxAgeSeconds);
    return { json, cached: { maxAgeSeconds, ageSeconds: 0 } };
  }

  private variantFor(grants: Grants): Variant {
    const mask = this.protectedFields.maskOf(grants);
    const known = this.variants.get(mask);
    if (known) return known;
    const refused = this.protectedFields.refusedTo(grants);
    const { document, errors, withhold } = permittedPart(this.document, this.operation, refused);
    const plan = document ? this.planOf(document) : NOTHING_TO_FETCH;
    const variant: Variant = { execution: this.executionOf(plan, withhold), errors };
    this.variants.set(mask, variant);
    return variant;
  }

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

  private executionOf(plan: QueryPlan, withheld?: (data: Record<string, unknown>) => void): Execution {
    const { graph, formatError, onFallback } = this.options;
    const { document, operation } = this;
    return prepareExecution(
      { graph, document, operation, plan, withhold: withheld },
      { formatError, ...(onFallback && { onFallback }) },
    );
  }
}

/** The planner gives up on some operations that are valid, such as fragments on many interfaces inside each other. */
const unplannable = (cause: unknown): GraphQLError =>
  graphqlErrorOf(
    new PlatformError(
      'OPERATION_LIMIT_EXCEEDED',
      'No plan can be made for this operation: ask for less at once, or with fewer fragments inside each other.',
      { cause },
    ),
  );

/** Where every field that was asked for is refused. */
const NOTHING_TO_FETCH: QueryPlan = { kind: 'QueryPlan' };

/** Errors come before the data where there are any. */
const hasErrors = (json: string): boolean => json.startsWith('{"errors"');
