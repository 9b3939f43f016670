import { GraphQLError, type DocumentNode, type OperationDefinitionNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { PlatformError } from '#server/errors.ts';
import { graphqlErrorOf } from '#server/graphql/errors.ts';
import { grantsOf } from '../authorization/grants.ts';
import { permittedPart } from '../authorization/permission.ts';
import { ProtectedFields } from '../authorization/protected-fields.ts';
import type { GatewayContext } from '../context/gateway-context.ts';
import { deferVariables } from '../defer/defer-directive.ts';
import { deferredDocument, type DeferredDocument } from '../defer/deferred-document.ts';
import { DeferredRun, type DeferredSource } from '../defer/deferred-run.ts';
import { DeferredShape } from '../defer/deferred-shapes.ts';
import { selectsInterfaceObject } from '../defer/interface-objects.ts';
import type { ExecutionRequest } from '../execution/execution.ts';
import { fallbackReason } from '../fallback/fallback-reason.ts';
import { compileDeferrable } from '../plan/compile-plan.ts';
import { refusalOfPlan } from '../plan/refused-plans.ts';
import { bytesOfPlan, fetchesOf, servicesOf } from '../plan/plan-fetches.ts';
import { ByCondition, rootTypeOf } from '../response/shapes-by-condition.ts';
import { planOperation } from './plan-operation.ts';
import type { OperationOptions } from './prepared-operation.ts';

/** The price of a deferred fragment in the cost of an operation: the part has requests of its own. */
const PART_COST = 10;
/** The maximum number of cached forms of one operation, and of cached variants. */
const MAX_FORMS = 16;

/** The operation with only those `@defer` that take effect with certain variables, whatever the caller's rights. */
interface Form extends DeferredDocument {
  readonly protectedFields: ProtectedFields;
  readonly shapes: ByCondition<DeferredShape>;
}

/** The plan of a form for all callers who may read the same fields. */
interface Variant {
  readonly source: Omit<DeferredSource, 'shape'>;
  readonly errors: readonly GraphQLError[];
  readonly services: readonly string[];
  readonly bytes: number;
}

/**
 * The plans by which an operation with `@defer` is executed in parts. Which of its `@defer` take effect is decided before the
 * planning: a plan for all values of n variables would be 2^n plans, and planning would take seconds for ten variables.
 */
export class DeferredOperation {
  private readonly document: DocumentNode;
  private readonly operation: OperationDefinitionNode;
  private readonly options: OperationOptions;
  private readonly variables: readonly string[];
  private readonly forms = new LRUCache<string, Form>({ max: MAX_FORMS });
  /** By the form and the mask of the caller's grants. `'whole'`: it can only be executed as a whole. */
  private readonly variants = new LRUCache<string, Variant | 'whole'>({ max: MAX_FORMS });

  constructor(document: DocumentNode, operation: OperationDefinitionNode, options: OperationOptions) {
    this.document = document;
    this.operation = operation;
    this.options = options;
    this.variables = deferVariables(document);
  }

  /** The approximate memory of its plans. */
  get bytes(): number {
    let bytes = 0;
    for (const variant of this.variants.values()) if (variant !== 'whole') bytes += variant.bytes;
    return bytes;
  }

  /** The cost of its parts with these variables; 0 if `refusalOf` refuses them. */
  costOf(variables: Readonly<Record<string, unknown>>): number {
    return this.refusalOf(variables) ? 0 : PART_COST * this.form(variables).labels.length;
  }

  /** Why it cannot run with these variables: too many fragments are deferred, or a condition is null. */
  refusalOf(variables: Readonly<Record<string, unknown>>): GraphQLError | undefined {
    try {
      this.form(variables);
      return undefined;
    } catch (error) {
      if (error instanceof PlatformError) return graphqlErrorOf(error);
      if (error instanceof GraphQLError) return error;
      throw error;
    }
  }

  /** False if nothing is deferred with these variables, or if the operation can only be executed as a whole. */
  runsInParts(request: ExecutionRequest, onPlanned: () => void): boolean {
    return this.runnable(request, onPlanned) !== undefined;
  }

  /**
   * Runs the operation in parts; undefined if `runsInParts` is false.
   * @param onPrimary called with the services of the plan when the primary part is complete
   */
  run(
    request: ExecutionRequest,
    onPlanned: () => void,
    onPrimary: (services: readonly string[]) => void,
  ): DeferredRun | undefined {
    const runnable = this.runnable(request, onPlanned);
    if (!runnable) return undefined;
    const { source, errors, services } = runnable;
    return new DeferredRun(source, { ...request, errors }, () => onPrimary(services));
  }

  private runnable(
    request: ExecutionRequest,
    onPlanned: () => void,
  ): (Omit<Variant, 'source'> & { source: DeferredSource }) | undefined {
    const form = this.form(request.variables);
    if (form.labels.length === 0) return undefined;
    const variant = this.variantFor(form, request, onPlanned);
    if (variant === 'whole') return undefined;
    const shape = shapeOf(form, request);
    return shape && { ...variant, source: { ...variant.source, shape } };
  }

  private keyOf(variables: Readonly<Record<string, unknown>>): string {
    return this.variables.map((name) => String(variables[name])).join();
  }

  private form(variables: Readonly<Record<string, unknown>>): Form {
    const key = this.keyOf(variables);
    const known = this.forms.get(key);
    if (known) return known;
    const { graph, requirements } = this.options;
    const deferred = deferredDocument(this.document, this.operation, variables);
    const { document, operation } = deferred;
    const source = { graph, document, operation };
    const form = {
      ...deferred,
      protectedFields: new ProtectedFields(graph.apiSchema, requirements, document, operation),
      shapes: new ByCondition(
        source,
        (selected) =>
          new DeferredShape(graph.apiSchema, selected, rootTypeOf(source), [operation.selectionSet]),
      ),
    };
    this.forms.set(key, form);
    return form;
  }

  private variantFor(
    form: Form,
    { variables, context }: Pick<ExecutionRequest, 'variables' | 'context'>,
    onPlanned: () => void,
  ): Variant | 'whole' {
    const mask = form.protectedFields.maskOf(grantsOf(context.viewer));
    const key = `${this.keyOf(variables)} ${mask}`;
    const known = this.variants.get(key);
    if (known) return known;
    const planning = context.span?.child('plan');
    const variant = this.planned(form, context);
    planning?.end();
    this.variants.set(key, variant);
    onPlanned();
    return variant;
  }

  private planned(form: Form, { viewer }: GatewayContext): Variant | 'whole' {
    const { operation, protectedFields, labels } = form;
    const refused = protectedFields.refusedTo(grantsOf(viewer));
    const permitted =
      refused.length > 0
        ? permittedPart(form.document, operation, refused)
        : { document: form.document, errors: [], removeRefusedValues: undefined };
    if (!permitted.document) return 'whole';
    const { graph } = this.options;
    if (selectsInterfaceObject(graph.supergraphSchema, graph.apiSchema, form.document)) return 'whole';
    try {
      const plan = planOperation(graph, permitted.document, operation);
      const source = { graph, document: form.document, operation, plan };
      if (refusalOfPlan(source) || fallbackReason(source) !== undefined) return 'whole';
      const fetches = fetchesOf(plan);
      return {
        source: {
          plan: compileDeferrable(source),
          labels,
          removeRefusedValues: permitted.removeRefusedValues,
        },
        errors: permitted.errors,
        services: servicesOf(fetches),
        bytes: bytesOfPlan(fetches),
      };
    } catch (error) {
      if (error instanceof GraphQLError) return 'whole'; // it may have a plan without @defer
      throw error;
    }
  }
}

/** Undefined if a condition of @skip or @include is null: the execution as a whole answers with this error. */
function shapeOf({ shapes }: Form, { variables }: ExecutionRequest): DeferredShape | undefined {
  try {
    return shapes.of(variables);
  } catch (error) {
    if (error instanceof GraphQLError) return undefined;
    throw error;
  }
}
