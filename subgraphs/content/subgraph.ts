import { z } from 'zod';
import { accountDataRest } from '#server/accounts/account-data.rest.ts';
import { defineSubgraph } from '#server/define-subgraph.ts';
import { eventsRest } from '#server/events/events.rest.ts';
import { jobsRest } from '#server/jobs/jobs.rest.ts';
import { References } from '#server/references/references.ts';
import { Removals } from '#server/references/removals.ts';
import { removedReferencesRest } from '#server/references/removed-references.rest.ts';
import { callsToServices } from '#server/service-calls.ts';
import { readExamples } from '#server/rest/examples.ts';
import { database } from './database.ts';
import { contentJobs } from './jobs.ts';
import { jobsGraphql } from './jobs.graphql.ts';
import { demo } from './demo.ts';
import { exercisesGraphql } from './exercises/exercises.graphql.ts';
import { exercisesRest } from './exercises/exercises.rest.ts';
import { mediaGraphql } from './media/media.graphql.ts';
import { mediaRest } from './media/media.rest.ts';
import { productEvents } from './products/product-events.ts';
import { productsGraphql } from './products/products.graphql.ts';
import { productsRest } from './products/products.rest.ts';
import { identityProfiles } from '#server/profiles/profiles.identity.ts';
import { contentRetention } from './retention.ts';
import { contentServices } from './services.ts';
import { TextSearches } from './search/text-search.ts';
import { progressGraphql } from './trainings/progress.graphql.ts';
import { progressRest } from './trainings/progress.rest.ts';
import { trainingCsvGraphql } from './trainings/training-csv.graphql.ts';
import { trainingCsvRest } from './trainings/training-csv.rest.ts';
import { squadTrainingsRest } from './trainings/squad-trainings.rest.ts';
import { trainingEvents } from './trainings/training-changes.ts';
import { trainingCountsRest } from './trainings/training-counts.rest.ts';
import { trainingsGraphql } from './trainings/trainings.graphql.ts';
import { trainingsRest } from './trainings/trainings.rest.ts';
import { workoutsGraphql } from './workouts/workouts.graphql.ts';
import { workoutsRest } from './workouts/workouts.rest.ts';

export const content = defineSubgraph({
  name: 'content',
  title: 'Content service',
  description:
    'Workout routines, the exercise library, the trainings of users, and the products of gym shops.',
  settings: z.object({}),
  database,
  storesFiles: true,
  events: { ...productEvents, ...trainingEvents },
  changeKinds: ['Exercise', 'WorkoutRoutine', 'Product'],
  async resources({ orm, files, events, settings, serviceTokens, unitOf, log }) {
    if (!orm) throw new Error('The content service needs its database.');
    const calls = callsToServices({ settings, tokens: serviceTokens });
    const removals = new Removals({
      referringServices: { Product: ['gym'], WorkoutRoutine: ['gym'], HiddenWorkoutRoutine: ['gym'] },
      calls,
      unitOf,
      log,
    });
    const profiles = identityProfiles(settings.identityUrl);
    return {
      searches: new TextSearches(orm),
      files,
      events,
      references: new References(calls),
      removals,
      profiles,
      calls,
      async dispose() {
        await profiles.close();
        await removals.dispose();
        await calls.close();
      },
    };
  },
  services: contentServices,
  jobs: contentJobs,
  retention: ({ files }) => contentRetention(files),
  features: {
    exercises: 'content',
    workouts: 'content',
    workoutFavourites: 'content',
    nextWorkouts: 'content',
    trainings: 'content',
    trainingExports: 'content',
    trainingImports: 'content',
    progress: 'content',
    trainingLog: 'content',
    summaries: 'content',
    products: 'shop',
    events: null,
    media: null,
    squadTrainings: null,
    trainingCounts: null,
    removedReferences: null,
    jobs: null,
    accountData: null,
  },
  graphql: [
    exercisesGraphql,
    workoutsGraphql,
    trainingsGraphql,
    progressGraphql,
    trainingCsvGraphql,
    productsGraphql,
    mediaGraphql,
    jobsGraphql,
  ],
  examples: readExamples(new URL('examples.json', import.meta.url)),
  rest: [
    ...exercisesRest,
    ...workoutsRest,
    // These come first, so that `/trainings/summary` does not match `/trainings/:id`.
    ...progressRest,
    ...trainingCsvRest,
    ...trainingsRest,
    ...squadTrainingsRest,
    ...trainingCountsRest,
    ...productsRest,
    ...mediaRest,
    ...eventsRest,
    ...accountDataRest,
    ...jobsRest,
    ...removedReferencesRest,
  ],
  demo: (_services, unit, _resources, { demoHistory }) => demo(unit, demoHistory),
});
