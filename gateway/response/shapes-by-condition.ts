import { GraphQLError } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { ExecutionRequest, ExecutionSource } from '../execution/execution.ts';
import { conditionVariables, SelectedFields } from './selected-fields.ts';
import { objectShape, type ObjectShape } from './response-shape.ts';

/** The maximum number of cached shapes of one operation; clients use few combinations of @skip and @include. */
const MAX_SHAPES = 16;

/** The response shapes of one operation: one for each combination of the variables of @skip and @include. */
export class ShapesByCondition {
  private readonly source: ExecutionSource;
  private readonly variables: readonly string[];
  private readonly only: ObjectShape | undefined;
  private readonly byConditions = new LRUCache<string, ObjectShape>({ max: MAX_SHAPES });

  constructor(source: ExecutionSource) {
    this.source = source;
    this.variables = conditionVariables(source.document, source.operation);
    if (this.variables.length === 0) this.only = this.compile(new Map());
  }

  /** @throws GraphQLError if a variable of @skip or @include is null, which a type with a default value allows */
  of(values: ExecutionRequest['variables']): ObjectShape {
    if (this.only) return this.only;
    const conditions = new Map(this.variables.map((name) => [name, decided(name, values[name])]));
    const key = [...conditions.values()].join();
    const known = this.byConditions.get(key);
    if (known) return known;
    const shape = this.compile(conditions);
    this.byConditions.set(key, shape);
    return shape;
  }

  private compile(conditions: ReadonlyMap<string, boolean>): ObjectShape {
    const { graph, document, operation } = this.source;
    const type = graph.apiSchema.getRootType(operation.operation);
    if (!type) throw new Error(`the schema has no ${operation.operation}`);
    const selected = new SelectedFields(graph.apiSchema, document, conditions);
    return objectShape(graph.apiSchema, type, [operation.selectionSet], selected);
  }
}

function decided(name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new GraphQLError(
    `Variable "$${name}" decides @skip or @include: expected true or false, got ${JSON.stringify(value) ?? 'nothing'}.`,
    { extensions: { code: 'VALIDATION_FAILED', http: { status: 400 } } },
  );
}
