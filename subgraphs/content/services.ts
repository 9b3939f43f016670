import type { GraphContext } from '#server/graphql/subgraph-endpoint.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { AccountData } from '#server/accounts/account-data.ts';
import { contentAccountPart } from './accounts/account-part.ts';
import { Exercises } from './exercises/exercises.ts';
import type { FileStorage } from '#server/files/file-storage.ts';
import { Media } from './media/media.ts';
import { Products } from './products/products.ts';
import type { TextSearches } from './text-search.ts';
import { Workouts } from './workouts/workouts.ts';

/** What lives as long as the service. */
export interface ContentResources {
  searches: TextSearches;
  files: FileStorage;
}

/** The rules of this service, made for one unit of work. */
export const contentServices = (unit: UnitOfWork, { searches, files }: ContentResources) => {
  const media = new Media(files);
  const exercises = new Exercises(unit, searches, media);
  return {
    media,
    exercises,
    workouts: new Workouts(unit, exercises, searches, media),
    products: new Products(unit, searches, media),
    accountData: new AccountData(unit, contentAccountPart(unit)),
  };
};

export type ContentServices = ReturnType<typeof contentServices>;
export type Context = GraphContext<ContentServices>;
