import { GraphQLError, type GraphQLObjectType } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { ExecutionRequest, ExecutionSource } from '../execution/execution.ts';
import { conditionVariables, SelectedFields } from './selected-fields.ts';
import { objectShape, type ObjectShape } from './response-shape.ts';

/** The maximum number of cached shapes of one operation; clients use few combinations of @skip and @include. */
const MAX_SHAPES = 16;

type Source = Pick<ExecutionSource, 'graph' | 'document' | 'operation'>;

/** What is compiled from the selected fields of an operation: once for each combination of the variables of @skip and @include. */
export class ByCondition<Compiled extends object> {
  private readonly source: Source;
  private readonly compileFor: (selected: SelectedFields) => Compiled;
  private readonly variables: readonly string[];
  private readonly only: Compiled | undefined;
  private readonly byConditions = new LRUCache<string, Compiled>({ max: MAX_SHAPES });

  constructor(source: Source, compileFor: (selected: SelectedFields) => Compiled) {
    this.source = source;
    this.compileFor = compileFor;
    this.variables = conditionVariables(source.document, source.operation);
    if (this.variables.length === 0) this.only = this.compile(new Map());
  }

  /** @throws GraphQLError if a variable of @skip or @include is null, which is valid for a nullable variable with a default value */
  of(values: ExecutionRequest['variables']): Compiled {
    if (this.only) return this.only;
    const conditions = new Map(this.variables.map((name) => [name, decided(name, values[name])]));
    const key = [...conditions.values()].join();
    const known = this.byConditions.get(key);
    if (known) return known;
    const compiled = this.compile(conditions);
    this.byConditions.set(key, compiled);
    return compiled;
  }

  private compile(conditions: ReadonlyMap<string, boolean>): Compiled {
    const { graph, document } = this.source;
    return this.compileFor(new SelectedFields(graph.apiSchema, document, conditions));
  }
}

/** The response shapes of one operation. */
export const shapesByCondition = (source: Source): ByCondition<ObjectShape> =>
  new ByCondition(source, (selected) =>
    objectShape(source.graph.apiSchema, rootTypeOf(source), [source.operation.selectionSet], selected),
  );

/** The type of the operation's root fields. */
export function rootTypeOf({ graph, operation }: Source): GraphQLObjectType {
  const type = graph.apiSchema.getRootType(operation.operation);
  if (!type) throw new Error(`the schema has no ${operation.operation}`);
  return type;
}

function decided(name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new GraphQLError(
    `Variable "$${name}" decides @skip or @include: expected true or false, got ${JSON.stringify(value) ?? 'nothing'}.`,
    { extensions: { code: 'VALIDATION_FAILED', http: { status: 400 } } },
  );
}
