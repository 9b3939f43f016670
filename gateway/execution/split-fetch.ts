import { MAX_REPRESENTATIONS } from '#server/graphql/cost.ts';
import type { SubgraphAnswer, SubgraphError } from '../subgraphs/subgraph.ts';
import type { Asked } from './asked.ts';
import { isValues } from './merge.ts';
import type { Run } from './run.ts';

/**
 * Sends a fetch of more entities than a subgraph takes at once in parts, and makes one answer of theirs. A part that
 * fails costs its own entities.
 */
export async function sentInParts(
  { representations, count }: Asked,
  send: (representations: string) => Promise<SubgraphAnswer>,
  run: Run,
): Promise<SubgraphAnswer> {
  const parts = await Promise.allSettled(representations.map(send));
  const entities: unknown[] = Array.from({ length: count }, () => null);
  const errors: SubgraphError[] = [];
  let isPlain = true;
  for (const [part, result] of parts.entries()) {
    const first = part * MAX_REPRESENTATIONS;
    if (result.status === 'rejected') {
      run.fail(result.reason);
      continue;
    }
    const { value: answer } = result;
    if (!answer.isPlain) isPlain = false;
    const found = isValues(answer.data) ? answer.data['_entities'] : undefined;
    if (Array.isArray(found))
      for (const [at, entity] of found.slice(0, MAX_REPRESENTATIONS).entries()) entities[first + at] = entity;
    for (const error of answer.errors ?? []) errors.push(moved(error, first));
  }
  return {
    data: { _entities: entities.slice(0, count) },
    ...(errors.length > 0 && { errors }),
    isPlain,
  };
}

/** With the index of the entity in the whole list in place of that in its part. */
function moved(error: SubgraphError, by: number): SubgraphError {
  const path: unknown = isValues(error) ? error.path : undefined;
  if (!Array.isArray(path) || typeof path[1] !== 'number') return error;
  const [field, index, ...rest] = path as [unknown, number, ...unknown[]];
  return { ...error, path: [field, index + by, ...rest] };
}
