import {
  defaultTypeResolver,
  getArgumentValues,
  GraphQLError,
  type FragmentDefinitionNode,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { Path } from 'graphql/jsutils/Path.js';
import { FieldErrors } from './field-errors.ts';
import type { AbstractOutput, ListOutput, ObjectSelection, Output, ResolvedField } from './outputs.ts';
import {
  AwaitedText,
  CompositeText,
  PendingItem,
  type Location,
  type PendingText,
  type Text,
} from './pending-text.ts';
import { runtimeType, wrongType } from './runtime-type.ts';

/** What all executions of one operation share. */
export interface ExecutedOperation {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly fragments: Record<string, FragmentDefinitionNode>;
}

/** The result of an execution: as graphql-js's `ExecutionResult`, with the data as JSON. */
export interface JsonResult {
  /** `null` if an error made all data null. */
  readonly data: string;
  /** Empty if there are none. */
  readonly errors: readonly GraphQLError[];
}

/** A field, and the `info` of its resolver; undefined if neither the resolver nor the completion of the value needs it. */
interface FieldAt {
  readonly field: ResolvedField;
  readonly info: GraphQLResolveInfo | undefined;
}

/**
 * One execution of a query. It calls the same resolvers as graphql-js's `execute` in the same order, and reports the same
 * errors; but it writes each value as JSON as soon as its resolver has returned it, and makes a promise only for a value that
 * is one.
 *
 * Written for speed (`npm run bench:services`).
 */
export class Execution {
  private readonly operation: ExecutedOperation;
  private readonly contextValue: unknown;
  private readonly variableValues: Record<string, unknown>;
  private readonly errors = new FieldErrors();

  constructor(operation: ExecutedOperation, contextValue: unknown, variableValues: Record<string, unknown>) {
    this.operation = operation;
    this.contextValue = contextValue;
    this.variableValues = variableValues;
  }

  /** Never rejects. */
  run(root: ObjectSelection): JsonResult | Promise<JsonResult> {
    let text: Text;
    try {
      text = this.object(root, undefined, undefined);
    } catch (error) {
      return this.failed(error);
    }
    if (typeof text === 'string') return this.result(text);
    return this.whenSettled(text);
  }

  private whenSettled(pending: PendingText): Promise<JsonResult> {
    return new Promise((resolve) => {
      pending.position = {
        settle: (text) => resolve(typeof text === 'string' ? this.result(text) : this.whenSettled(text)),
        fail: (error) => resolve(this.failed(error)),
      };
    });
  }

  private failed(error: unknown): JsonResult {
    this.errors.report(error as GraphQLError, undefined);
    return this.result('null');
  }

  private readonly result = (data: string): JsonResult => ({ data, errors: this.errors.reported });

  private object({ fields }: ObjectSelection, source: unknown, path: Path | undefined): Text {
    if (fields.length === 0) return '{}';
    let text = '';
    let pending: CompositeText | undefined;
    for (const field of fields) {
      text += field.prefix;
      if (field.typename !== undefined) {
        text += field.typename;
        continue;
      }
      let value: string | PendingItem;
      try {
        value = this.field(field, source, path);
      } catch (error) {
        if (pending) return pending.endWithError(error);
        throw error;
      }
      if (typeof value === 'string') text += value;
      else {
        (pending ??= new CompositeText()).append(text, value);
        text = '';
      }
    }
    text += '}';
    return pending ? pending.end(text) : text;
  }

  private field(field: ResolvedField, source: unknown, parent: Path | undefined): string | PendingItem {
    const { definition, output } = field;
    let path: Path | undefined;
    let text: Text;
    try {
      let info: GraphQLResolveInfo | undefined;
      let value: unknown;
      const args = definition.args.length === 0 ? undefined : this.argumentsOf(field);
      if (definition.resolve) {
        path = pathOf(field, parent);
        info = this.infoOf(field, path);
        value = definition.resolve(source, args ?? {}, this.contextValue, info);
      } else if (isObjectLike(source) || typeof source === 'function') {
        value = (source as Record<string, unknown>)[definition.name];
        if (typeof value === 'function') {
          path = pathOf(field, parent);
          info = this.infoOf(field, path);
          value = (source as Record<string, Method>)[definition.name]?.(args ?? {}, this.contextValue, info);
        }
      }
      if (output.kind !== 'leaf') path ??= pathOf(field, parent);
      if (path && field.needsInfo) info ??= this.infoOf(field, path);
      text = this.value(output, value, path, { field, info });
    } catch (error) {
      return this.errors.handle(error, locationOf(field, output, path ?? pathOf(field, parent)));
    }
    if (typeof text === 'string') return text;
    return new PendingItem(
      text,
      locationOf(field, output, path ?? pathOf(field, parent)),
      this.errors.handle,
    );
  }

  /** @param path undefined only for a leaf */
  private value(output: Output, value: unknown, path: Path | undefined, at: FieldAt): Text {
    return isPromise(value)
      ? new AwaitedText(value, (settled) => this.completed(output, settled, path, at))
      : this.completed(output, value, path, at);
  }

  private completed(output: Output, value: unknown, path: Path | undefined, at: FieldAt): Text {
    if (value === null || value === undefined) {
      if (!output.isNonNull) return 'null';
      const { parentType, definition } = at.field;
      throw new Error(`Cannot return null for non-nullable field ${parentType.name}.${definition.name}.`);
    }
    if (value instanceof Error) throw value;
    switch (output.kind) {
      case 'leaf':
        return output.write(value);
      case 'list':
        return this.list(output, value, path, at);
      case 'object':
        return this.objectOfType(output.selection, value, path, at);
      case 'abstract':
        return this.objectOfAbstractType(output, value, path, at);
    }
  }

  private list({ item: output }: ListOutput, list: unknown, path: Path | undefined, at: FieldAt): Text {
    if (!isIterable(list)) {
      const { parentType, definition } = at.field;
      throw new GraphQLError(
        `Expected Iterable, but did not find one for field "${parentType.name}.${definition.name}".`,
      );
    }
    let text = '[';
    let pending: CompositeText | undefined;
    let index = 0;
    try {
      for (const item of list) {
        if (index > 0) text += ',';
        const value = this.item(output, item, { prev: path, key: index, typename: undefined }, at);
        if (typeof value === 'string') text += value;
        else {
          (pending ??= new CompositeText()).append(text, value);
          text = '';
        }
        index += 1;
      }
    } catch (error) {
      pending?.abandon(); // as graphql-js does, the list does not wait for its other items
      throw error;
    }
    text += ']';
    return pending ? pending.end(text) : text;
  }

  private item(output: Output, item: unknown, path: Path, at: FieldAt): string | PendingItem {
    let text: Text;
    try {
      text = this.value(output, item, path, at);
    } catch (error) {
      return this.errors.handle(error, locationOf(at.field, output, path));
    }
    if (typeof text === 'string') return text;
    return new PendingItem(text, locationOf(at.field, output, path), this.errors.handle);
  }

  private objectOfAbstractType(
    output: AbstractOutput,
    value: unknown,
    path: Path | undefined,
    at: FieldAt,
  ): Text {
    const { schema } = this.operation;
    const resolveType = output.type.resolveType ?? defaultTypeResolver;
    const complete = (name: unknown): Text => {
      const type = runtimeType(schema, output, name, value, at.field);
      return this.objectOfType(output.selectionOf(type), value, path, at);
    };
    const name: unknown = resolveType(value, this.contextValue, infoAt(at), output.type);
    return isPromise(name) ? new AwaitedText(name, complete) : complete(name);
  }

  private objectOfType(
    selection: ObjectSelection,
    value: unknown,
    path: Path | undefined,
    at: FieldAt,
  ): Text {
    const { type } = selection;
    if (!type.isTypeOf) return this.object(selection, value, path);
    const complete = (isOfType: unknown): Text => {
      if (isOfType) return this.object(selection, value, path);
      throw wrongType(type, value, at.field);
    };
    const isOfType: unknown = type.isTypeOf(value, this.contextValue, infoAt(at));
    return isPromise(isOfType) ? new AwaitedText(isOfType, complete) : complete(isOfType);
  }

  private argumentsOf({ definition, nodes: [node] }: ResolvedField): Record<string, unknown> {
    if (!node) throw new Error('A selected field has at least one node.');
    return getArgumentValues(definition, node, this.variableValues);
  }

  private infoOf({ definition, nodes, parentType }: ResolvedField, path: Path): GraphQLResolveInfo {
    const { schema, operation, fragments } = this.operation;
    return {
      fieldName: definition.name,
      fieldNodes: nodes,
      returnType: definition.type,
      parentType,
      path,
      schema,
      fragments,
      rootValue: undefined,
      operation,
      variableValues: this.variableValues,
    };
  }
}

type Method = (args: Record<string, unknown>, context: unknown, info: GraphQLResolveInfo) => unknown;

const pathOf = ({ key, parentType }: ResolvedField, prev: Path | undefined): Path => ({
  prev,
  key,
  typename: parentType.name,
});

const locationOf = ({ nodes }: ResolvedField, { isNonNull }: Output, path: Path): Location => ({
  nodes,
  path,
  isNonNull,
});

function infoAt({ info, field }: FieldAt): GraphQLResolveInfo {
  if (!info) throw new Error(`No info was made for ${field.definition.name}.`);
  return info;
}

const isObjectLike = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
  typeof (value as Partial<PromiseLike<unknown>>).then === 'function';

const isIterable = (value: unknown): value is Iterable<unknown> =>
  typeof value === 'object' &&
  typeof (value as Partial<Iterable<unknown>> | null)?.[Symbol.iterator] === 'function';
