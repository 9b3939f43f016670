import { GraphQLError } from 'graphql';
import type { SubgraphAnswer } from '../../../gateway/subgraphs/subgraph.ts';
import { randomFrom } from './random.ts';

/**
 * Returns a wrong answer, throws an error, or returns the answer unchanged, as the seed decides. Equal entities are
 * distorted equally, so the result does not depend on which entities are fetched together.
 */
export function distorted(answer: SubgraphAnswer, name: string, query: string, seed: string): SubgraphAnswer {
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
