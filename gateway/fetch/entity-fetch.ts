import type { ExecutionContext } from '../execution/execution-context.ts';
import type { PlanStep } from '../execution/plan-step.ts';
import { isJsonObject, type JsonObject } from '#server/json-object.ts';
import { locatedValuesAt, valuesAt, type FlattenPath, type ResponsePath } from '../response/response-path.ts';
import type { SubgraphAnswer } from '../subgraphs/subgraph.ts';
import { batchEntities, type EntityBatch } from './entity-batch.ts';
import type { FetchRequest } from './fetch-request.ts';
import { merge } from './merge.ts';
import type { WriterOf } from './representations.ts';
import type { Rewriter } from './rewrites.ts';
import { sendInParts } from './split-entity-batch.ts';
import { errorsOf } from './subgraph-errors.ts';

export interface EntityFetchOptions {
  readonly serviceName: string;
  readonly path: FlattenPath;
  /** The writers of the representations, by the variables of an execution. */
  readonly representations: (variables: Readonly<Record<string, unknown>>) => WriterOf;
  readonly rewrite: Rewriter | undefined;
  /**
   * Interfaces that are object types in the subgraph: as the `__typename` of its answer they are ignored, because the type of
   * the entity is known.
   */
  readonly interfaces: ReadonlySet<unknown>;
  readonly request: Pick<FetchRequest, 'sendFor'>;
}

/** A fetch of more fields of entities that are in the response already (`_entities`). */
export class EntityFetch implements PlanStep {
  private readonly options: EntityFetchOptions;

  constructor(options: EntityFetchOptions) {
    this.options = options;
  }

  run(execution: ExecutionContext): Promise<void> | undefined {
    const batch = this.batch(execution);
    return batch && this.fetch(batch, execution);
  }

  /** The entities at its path; undefined if there is nothing to fetch. */
  batch(execution: ExecutionContext): EntityBatch | undefined {
    const { path, representations, serviceName } = this.options;
    try {
      const entities = valuesAt(execution.data, path, execution.repeatedValues);
      const writerOf = representations(execution.request.variables);
      const batch = batchEntities(entities, writerOf, execution.hasNoEscapes);
      return batch.count > 0 ? batch : undefined;
    } catch (error) {
      execution.failFetch(serviceName, error);
      return undefined;
    }
  }

  /** Asks for the entities in a request of their own. */
  async fetch(batch: EntityBatch, execution: ExecutionContext): Promise<void> {
    const { request, serviceName } = this.options;
    try {
      const [only = '', ...more] = batch.representations;
      const send = (representations: string) => request.sendFor(representations, execution);
      const answer =
        more.length === 0 ? await send(only) : await sendInParts(batch, send, execution, serviceName);
      this.mergeAnswer(answer, batch, execution);
    } catch (error) {
      execution.failFetch(serviceName, error);
    }
  }

  /** Merges an answer whose `_entities` are those of the batch. */
  receive(answer: SubgraphAnswer, batch: EntityBatch, execution: ExecutionContext): void {
    try {
      this.mergeAnswer(answer, batch, execution);
    } catch (error) {
      execution.failFetch(this.options.serviceName, error);
    }
  }

  private mergeAnswer(
    { data, errors, hasNoEscapes }: SubgraphAnswer,
    batch: EntityBatch,
    execution: ExecutionContext,
  ): void {
    const { serviceName, path, rewrite, interfaces } = this.options;
    if (!hasNoEscapes) execution.hasNoEscapes = false;
    if (errors) {
      let paths: ReadonlyMap<number, readonly ResponsePath[]> | undefined;
      const located = errorsOf(errors, serviceName, (inAnswer) => {
        const [, index, ...rest] = inAnswer;
        if (typeof index !== 'number') return [[...path, ...inAnswer]];
        paths ??= pathsByRepresentation(execution.data, path, batch);
        return (paths.get(index) ?? [[]]).map((toEntity) => [...toEntity, ...rest]);
      });
      for (const error of located) execution.errors.push(error);
    }
    if (!isJsonObject(data)) return;
    const found = entitiesIn(data, batch.count);
    if (rewrite) rewriteFound(found, batch, rewrite);
    if (batch.hasRepeats) markRepeatedValues(found, execution);
    const { entities, indexes } = batch;
    for (let at = 0; at < entities.length; at += 1) {
      const fields = found[indexes[at] as number]; // undefined for -1
      const entity = entities[at] as JsonObject;
      if (fields === null) (execution.missingEntities ??= new Set()).add(entity);
      if (!isJsonObject(fields)) continue;
      // A subgraph may return null for the __typename of a representation; merged, this null would replace the type name.
      const { __typename } = fields;
      if (__typename === null || (__typename !== undefined && interfaces.has(__typename)))
        fields['__typename'] = entity['__typename'];
      merge(entity, fields);
    }
  }
}

/** Rewrites depend on `__typename`, which a subgraph need not return for an entity. */
function rewriteFound(
  found: readonly unknown[],
  { entities, indexes }: EntityBatch,
  rewrite: Rewriter,
): void {
  for (const [index, fields] of found.entries()) {
    if (!isJsonObject(fields)) continue;
    const entity = entities[indexes.indexOf(index)];
    if (!fields['__typename'] && isJsonObject(entity)) fields['__typename'] = entity['__typename'];
    rewrite(fields);
  }
}

function entitiesIn(data: JsonObject, count: number): readonly unknown[] {
  const { _entities: found } = data;
  if (!Array.isArray(found)) throw new Error('Expected "data._entities" in response to be an array');
  if (found.length !== count) throw new Error(`Expected "data._entities" to contain ${count} elements`);
  return found;
}

/** Objects that are merged into several entities are written as JSON once. */
function markRepeatedValues(found: readonly unknown[], execution: ExecutionContext): void {
  execution.repeatedValues ??= new Map();
  for (const fields of found) {
    if (!isJsonObject(fields)) continue;
    for (const key in fields) {
      const value = fields[key];
      if (typeof value === 'object' && value !== null)
        execution.repeatedValues.set(value, { shape: undefined, text: '' });
    }
  }
}

/** The response paths of all entities that share a representation: an error at `_entities.<index>` concerns them all. */
function pathsByRepresentation(
  data: JsonObject,
  path: FlattenPath,
  { entities, indexes }: EntityBatch,
): ReadonlyMap<number, readonly ResponsePath[]> {
  const indexOf = new Map(entities.map((entity, at) => [entity, indexes[at]]));
  const paths = new Map<number, ResponsePath[]>();
  for (const located of locatedValuesAt(data, path)) {
    const index = indexOf.get(located.value) ?? -1;
    const known = paths.get(index);
    if (known) known.push(located.path);
    else paths.set(index, [located.path]);
  }
  return paths;
}
