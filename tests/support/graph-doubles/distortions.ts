import { GraphQLError, Kind, parse, print, type FieldNode } from 'graphql';
import { isJsonObject } from '#server/json-object.ts';
import type { SubgraphAnswer, SubgraphError } from '../../../gateway/subgraphs/subgraph.ts';
import { randomFrom } from './random.ts';

/**
 * Returns a wrong answer, throws an error, or returns the answer unchanged, as the seed decides. Equal entities are
 * distorted equally, so the result does not depend on which entities are fetched together. The result also does not depend
 * on whether several fetches are merged into one request: each part of a merged answer is distorted as the answer to its
 * fetch alone would be. If one of the parts then has no list of entities, or an error outside of it, the request is refused
 * as a whole; the gateway then sends each fetch alone, and gets the same result.
 */
export function distorted(answer: SubgraphAnswer, name: string, query: string, seed: string): SubgraphAnswer {
  const fields = entitiesFields(query);
  if (fields.length < 2) return distortedOne(answer, name, fields[0] ? textOf(fields[0]) : query, seed);
  const parts = fields.map((field) => {
    const alias = field.alias?.value ?? '';
    try {
      return { alias, own: distortedOne(partOf(answer, alias), name, textOf(field), seed) };
    } catch {
      return { alias, own: {} };
    }
  });
  const isRefused = parts.some(
    ({ own }) =>
      !Array.isArray(own.data?.['_entities']) || own.errors?.some((error) => !isOf(error, '_entities')),
  );
  if (isRefused) return { data: null, errors: [{ message: 'refused together' }] };
  const errors = parts.flatMap(({ alias, own }) =>
    (own.errors ?? []).map((error) => ({ ...error, path: [alias, ...(error.path as unknown[]).slice(1)] })),
  );
  const data = Object.fromEntries(parts.map(({ alias, own }) => [alias, own.data?.['_entities']]));
  return { data, ...(errors.length > 0 && { errors }), hasNoEscapes: answer.hasNoEscapes ?? false };
}

function entitiesFields(query: string): readonly FieldNode[] {
  const [operation] = parse(query, { noLocation: true }).definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) return [];
  return operation.selectionSet.selections.filter(
    (node): node is FieldNode => node.kind === Kind.FIELD && node.name.value === '_entities',
  );
}

/** The selections of a fetch. They are the same in a merged request, which renames everything else. */
const textOf = ({ selectionSet }: FieldNode): string => (selectionSet ? print(selectionSet) : '');

/** The answer to one of the fetches alone. */
function partOf({ data, errors = [], hasNoEscapes }: SubgraphAnswer, alias: string): SubgraphAnswer {
  const own = errors
    .filter((error) => isOf(error, alias))
    .map((error) => ({ ...error, path: ['_entities', ...(error.path as unknown[]).slice(1)] }));
  return {
    data: { _entities: data?.[alias] },
    ...(own.length > 0 && { errors: own }),
    hasNoEscapes: hasNoEscapes ?? false,
  };
}

const isOf = (error: SubgraphError, field: string): boolean =>
  isJsonObject(error) && Array.isArray(error.path) && error.path[0] === field;

function distortedOne(answer: SubgraphAnswer, name: string, query: string, seed: string): SubgraphAnswer {
  const random = randomFrom(`${seed}/${name}/${query}`);
  switch (random.below(12)) {
    case 0:
      throw new GraphQLError(`The ${name} service does not answer`, {
        extensions: { code: 'UPSTREAM_UNAVAILABLE' },
      });
    case 1:
      return { errors: [{ message: 'refused as a whole', extensions: { code: 'FORBIDDEN' } }] };
    case 2:
      return { data: null, errors: [{ message: '' }, {}] };
    case 3:
      return { ...answer, errors: [{ message: 'somewhere', path: ['of', 'its', 'own'] }] };
    case 4:
      return { data: { ...answer.data, _entities: null } };
    case 5:
    case 6:
    case 7:
      return { ...answer, data: distort(answer.data, seed) as SubgraphAnswer['data'] & object };
    default:
      return answer;
  }
}

/** The probability that a value is distorted. */
const PROBABILITY = 0.06;

function distort(value: unknown, seed: string): unknown {
  if (Array.isArray(value)) return value.map((element) => distort(element, seed));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inside]) => {
      const random = randomFrom(`${seed}/${key}/${JSON.stringify(inside)}`);
      if (key === '_entities' || !random.chance(PROBABILITY)) return [key, distort(inside, seed)];
      return [key, key === '__typename' ? random.pick(['Nothing', null]) : random.pick(DISTORTED)];
    }),
  );
}

const DISTORTED: readonly unknown[] = [null, 4.5, 'NOT_OF_THE_ENUM', true, {}, []];
