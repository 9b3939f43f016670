import {
  getVariableValues,
  Kind,
  OperationTypeNode,
  visit,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { collectFields, collectSubfields } from 'graphql/execution/collectFields.js';
import { LRUCache } from 'lru-cache';
import { fragmentsOf } from '../fragments.ts';
import { asksForSchema } from '../introspection.ts';
import { Execution, type ExecutedOperation, type JsonResult } from './execution.ts';
import { rootSelection, type ObjectSelection } from './outputs.ts';

/** A query that was compiled once, to be executed many times. */
export interface CompiledQuery {
  /** The maximum number of selections that it keeps in memory: one for each combination of its `@skip` and `@include`, up to 16. */
  readonly maxSelections: number;
  /**
   * Coerces the variables as the client sent them. Undefined if graphql-js has to execute the request: the variables do not
   * fit, or a variable of `@skip` or `@include` is null. (It can be null if it is nullable and has a default value.)
   */
  prepare(variables: Readonly<Record<string, unknown>>): PreparedExecution | undefined;
}

export interface PreparedExecution {
  /** Never rejects. */
  execute(contextValue: unknown): JsonResult | Promise<JsonResult>;
}

/**
 * Compiles an operation of a valid document; undefined if graphql-js has to execute it:
 * - a mutation, whose fields run one after another, or a subscription
 * - a document that reads the schema, by introspection or `_service`
 *
 * The results are those of graphql-js, except that a value that JSON does not have, such as a function, is null, where
 * `JSON.stringify` would leave out the field.
 */
export const compiledQuery = (
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): CompiledQuery | undefined =>
  operation.operation === OperationTypeNode.QUERY && !asksForSchema(document)
    ? new QueryOfDocument(schema, document, operation)
    : undefined;

/** The maximum number of selections that are kept for one operation; clients use few combinations of @skip and @include. */
const MAX_SELECTIONS = 16;

/** The compiled selections by the values of the variables of `@skip` and `@include`. */
interface Selections {
  get(conditions: string): ObjectSelection | undefined;
  set(conditions: string, selection: ObjectSelection): unknown;
}

class QueryOfDocument implements CompiledQuery {
  private readonly executed: ExecutedOperation;
  /** The names of the variables of @skip and @include. */
  private readonly conditions: readonly string[];
  readonly maxSelections: number;
  private readonly selections: Selections;

  constructor(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode) {
    this.executed = { schema, operation, fragments: Object.fromEntries(fragmentsOf(document)) };
    this.conditions = conditionsOf(document, operation);
    this.maxSelections = Math.min(2 ** this.conditions.length, MAX_SELECTIONS);
    // An LRUCache takes several KiB, which is more than most selections.
    this.selections = this.maxSelections === 1 ? new Map() : new LRUCache({ max: this.maxSelections });
  }

  prepare(variables: Readonly<Record<string, unknown>>): PreparedExecution | undefined {
    const { schema, operation } = this.executed;
    const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variables, {
      maxErrors: 1,
    });
    if (!coerced) return undefined;
    const values = this.conditions.map((name) => coerced[name]);
    if (!values.every((value) => typeof value === 'boolean')) return undefined;
    const selection = this.selectionFor(values);
    return { execute: (contextValue) => new Execution(this.executed, contextValue, coerced).run(selection) };
  }

  private selectionFor(values: readonly boolean[]): ObjectSelection {
    const key = values.join();
    const known = this.selections.get(key);
    if (known) return known;
    const selection = this.compile(Object.fromEntries(this.conditions.map((name, at) => [name, values[at]])));
    this.selections.set(key, selection);
    return selection;
  }

  private compile(conditions: Record<string, unknown>): ObjectSelection {
    const { schema, operation, fragments } = this.executed;
    const root = schema.getRootType(operation.operation);
    if (!root) throw new Error(`The schema has no ${operation.operation}.`);
    return rootSelection(
      root,
      () => collectFields(schema, fragments, conditions, root, operation.selectionSet),
      (type, nodes) => collectSubfields(schema, fragments, conditions, type, nodes),
    );
  }
}

/**
 * The names of the variables of `@skip` and `@include`. Only those that the operation declares: fragments of other operations
 * in the document may use others.
 */
function conditionsOf(
  document: DocumentNode,
  { variableDefinitions = [] }: OperationDefinitionNode,
): string[] {
  const declared = new Set(variableDefinitions.map(({ variable }) => variable.name.value));
  const used = new Set<string>();
  visit(document, {
    Directive({ name, arguments: args = [] }) {
      if (name.value !== 'skip' && name.value !== 'include') return;
      for (const { value } of args)
        if (value.kind === Kind.VARIABLE && declared.has(value.name.value)) used.add(value.name.value);
    },
  });
  return [...used];
}
