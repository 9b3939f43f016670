import { MAX_REPRESENTATIONS } from '#server/graphql/cost.ts';
import type { SubgraphAnswer, SubgraphError } from '../subgraphs/subgraph.ts';
import type { EntityBatch } from './entity-batch.ts';
import { isJsonObject } from '#server/json-object.ts';
import type { ExecutionContext } from '../execution/execution-context.ts';

/**
 * Sends a batch of more entities than a subgraph accepts in one request (`MAX_REPRESENTATIONS`) in parts, and combines
 * the answers. If a part fails, only its own entities lack the fetched fields.
 */
export async function sendInParts(
  { representations, count }: EntityBatch,
  send: (representations: string) => Promise<SubgraphAnswer>,
  execution: ExecutionContext,
  serviceName: string,
): Promise<SubgraphAnswer> {
  const parts = await Promise.allSettled(representations.map(send));
  const entities: unknown[] = Array.from({ length: count }, () => null);
  const errors: SubgraphError[] = [];
  let hasNoEscapes = true;
  for (const [part, result] of parts.entries()) {
    const first = part * MAX_REPRESENTATIONS;
    if (result.status === 'rejected') {
      execution.failFetch(serviceName, result.reason);
      continue;
    }
    const { value: answer } = result;
    if (!answer.hasNoEscapes) hasNoEscapes = false;
    const found = isJsonObject(answer.data) ? answer.data['_entities'] : undefined;
    if (Array.isArray(found))
      for (const [at, entity] of found.slice(0, MAX_REPRESENTATIONS).entries()) entities[first + at] = entity;
    for (const error of answer.errors ?? []) errors.push(shifted(error, first));
  }
  return {
    data: { _entities: entities.slice(0, count) },
    ...(errors.length > 0 && { errors }),
    hasNoEscapes,
  };
}

/** The error with the entity's index in the whole batch instead of the index in its part. */
function shifted(error: SubgraphError, by: number): SubgraphError {
  const path: unknown = isJsonObject(error) ? error.path : undefined;
  if (!Array.isArray(path) || typeof path[1] !== 'number') return error;
  const [field, index, ...rest] = path as [unknown, number, ...unknown[]];
  return { ...error, path: [field, index + by, ...rest] };
}
