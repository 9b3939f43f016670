import { GraphQLError } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { ExecutionRequest, ExecutionSource } from './execution.ts';
import { conditionVariables, SelectedFields } from './selected-fields.ts';
import { objectShape, type ObjectShape } from './shape.ts';

/** Shapes kept for one operation; clients that vary @skip and @include vary them in a few ways. */
const KEPT = 16;

/** The shapes of one operation's responses: one for each combination of what @skip and @include ask for. */
export class ResponseShapes {
  private readonly source: ExecutionSource;
  private readonly variables: readonly string[];
  private readonly only: ObjectShape | undefined;
  private readonly byConditions = new LRUCache<string, ObjectShape>({ max: KEPT });

  constructor(source: ExecutionSource) {
    this.source = source;
    this.variables = conditionVariables(source.document, source.operation);
    if (this.variables.length === 0) this.only = this.compile(new Map());
  }

  /** @throws GraphQLError for a variable of @skip or @include that is null in spite of its type's default */
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
