import type { EventLog } from '#server/events/event-log.ts';
import { EventFeed } from '#server/events/feed.ts';
import type { GraphContext } from '#server/graphql/subgraph-endpoint.ts';
import { Jobs } from '#server/jobs/jobs.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { References } from '#server/references/references.ts';
import type { Removals } from '#server/references/removals.ts';
import { RemovedReferences } from '#server/references/removed-references.ts';
import { AccountData } from '#server/accounts/account-data.ts';
import { contentAccountPart } from './accounts/account-part.ts';
import { contentJobs } from './jobs.ts';
import { Owners } from './owners.ts';
import { Exercises } from './exercises/exercises.ts';
import { HomeReads } from './home-reads.ts';
import type { FileStorage } from '#server/files/file-storage.ts';
import { Media } from './media/media.ts';
import { Products } from './products/products.ts';
import type { TextSearches } from './search/text-search.ts';
import type { Profiles } from '#server/profiles/profiles.ts';
import type { CallsToServices } from '#server/service-calls.ts';
import { TrainingImports } from './trainings/imports.ts';
import { Progress } from './trainings/progress.ts';
import { SquadTrainings } from './trainings/squad-trainings.ts';
import { TrainingLog } from './trainings/training-log.ts';
import { Summaries } from './trainings/summaries.ts';
import { TrainingCounts } from './trainings/training-counts.ts';
import { TrainingExports } from './trainings/training-csv.ts';
import { Trainings } from './trainings/trainings.ts';
import { SquadRoutines } from './workouts/squad-routines.ts';
import { WorkoutFavourites } from './workouts/favourites.ts';
import { NextWorkouts } from './workouts/next-workouts.ts';
import { Workouts } from './workouts/workouts.ts';

/** Objects that exist as long as the service runs. */
interface ContentResources {
  searches: TextSearches;
  files: FileStorage;
  events: EventLog;
  references: References;
  removals: Removals;
  profiles: Profiles;
  calls: CallsToServices;
}

/** The rules of this service for one unit of work. */
export const contentServices = (
  unit: UnitOfWork,
  { searches, files, events, references, removals, profiles, calls }: ContentResources,
) => {
  const media = new Media(files);
  const owners = new Owners(unit, references);
  const squadRoutines = new SquadRoutines(unit, calls);
  const exercises = new Exercises(unit, searches, media, owners, squadRoutines);
  const workouts = new Workouts(unit, exercises, { searches, media, owners, removals, squadRoutines });
  const homeReads = new HomeReads(unit);
  const trainingLog = new TrainingLog(unit, homeReads);
  return {
    events: new EventFeed(unit, events),
    media,
    exercises,
    workouts,
    workoutFavourites: new WorkoutFavourites(unit, workouts),
    nextWorkouts: new NextWorkouts(unit, homeReads),
    trainings: new Trainings(unit, profiles, exercises, workouts),
    squadTrainings: new SquadTrainings(unit, exercises),
    trainingCounts: new TrainingCounts(unit),
    trainingImports: new TrainingImports(unit, profiles, exercises),
    trainingExports: new TrainingExports(unit, exercises),
    progress: new Progress(unit, exercises),
    trainingLog,
    summaries: new Summaries(unit, profiles, trainingLog),
    products: new Products(unit, { searches, media, owners, removals }),
    removedReferences: new RemovedReferences(unit, {
      Gym: { owner: 'gym', forget: (id) => owners.forget(id) },
    }),
    jobs: new Jobs(unit, contentJobs),
    accountData: new AccountData(unit, contentAccountPart(unit)),
  };
};

type ContentServices = ReturnType<typeof contentServices>;
export type Context = GraphContext<ContentServices>;
