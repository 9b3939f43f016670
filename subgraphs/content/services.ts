import type { GraphContext } from '#server/graphql/subgraph-endpoint.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { Exercises } from './exercises/exercises.ts';
import { Products } from './products/products.ts';
import type { TextSearches } from './text-search.ts';
import { Workouts } from './workouts/workouts.ts';

/** What lives as long as the service. */
export interface ContentResources {
  searches: TextSearches;
}

/** The rules of this service, made for one unit of work. */
export const contentServices = (unit: UnitOfWork, { searches }: ContentResources) => {
  const exercises = new Exercises(unit, searches);
  return {
    exercises,
    workouts: new Workouts(unit, exercises, searches),
    products: new Products(unit, searches),
  };
};

export type ContentServices = ReturnType<typeof contentServices>;
export type Context = GraphContext<ContentServices>;
