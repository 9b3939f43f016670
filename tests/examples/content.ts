import { demoId, demoPerson } from '#server/demo-ids.ts';
import { libraryExerciseId } from '../../subgraphs/content/exercises/library-exercise.ts';
import { pictures } from '../support/pictures.ts';
import type { Recorder } from './recorder.ts';

const ADMIN = 'admin@iron.test';

export async function contentExamples({ platform, record, send }: Recorder): Promise<void> {
  await readExamples({ platform, record, send });
  await trainingExamples({ platform, record, send });
  const image = await pictures.normal('png', 640, 480);

  const exercise = await record('createExercise', {
    as: ADMIN,
    body: {
      name: 'Sled Push with Turn',
      primaryMuscles: ['Quadriceps'],
      secondaryMuscles: ['Glutes'],
      equipment: 'Sled',
      level: 'Intermediate',
      modality: 'WEIGHT_DISTANCE',
    },
  });
  const atExercise = { as: ADMIN, params: { id: exercise.id } } as const;
  await record('updateExercise', {
    ...atExercise,
    body: { description: 'Push the sled 20 m, turn, and push it back.' },
  });
  await record('setExercisePicture', { ...atExercise, form: { image } });

  const workout = await record('createWorkout', {
    as: ADMIN,
    body: {
      title: 'Bench in half an hour',
      difficulty: 'Intermediate',
      category: 'Strength',
      targetMuscles: ['Chest', 'Triceps'],
      exercises: [
        {
          name: 'Main part',
          restSeconds: 120,
          entries: [
            {
              exerciseId: libraryExerciseId('Barbell Bench Press'),
              sets: [{ type: 'NORMAL', reps: 5, weightKg: 60, restSeconds: 90 }],
            },
          ],
        },
      ],
      durationMinutes: 30,
    },
  });
  const atWorkout = { as: ADMIN, params: { id: workout.id } } as const;
  await record('updateWorkout', { ...atWorkout, body: { title: 'Bench in 30 minutes', version: 1 } });
  await record('listWorkoutVersions', atWorkout);
  const withPicture = await record('setWorkoutPicture', { ...atWorkout, form: { image } });

  const product = await record('createProduct', {
    as: ADMIN,
    body: {
      sku: 'BAND-SET-3',
      name: 'Resistance Bands, set of 3',
      kind: 'MERCHANDISE',
      price: 1_999,
      currency: 'EUR',
      stock: 25,
      featuredPriority: 10,
    },
  });
  const atProduct = { as: ADMIN, params: { id: product.id } } as const;
  await record('updateProduct', { ...atProduct, body: { price: 1_799, version: 1 } });
  await record('addProductPicture', { ...atProduct, form: { image } });

  const file = /\/media\/([^/?]+)/.exec(JSON.stringify(withPicture))?.[1];
  if (file) await record('getPicture', { as: ADMIN, params: { file: file.replace(/".*$/, '') } });
  await record('deleteProduct', atProduct);
  await record('deleteWorkout', atWorkout);
  await record('deleteExercise', atExercise);
  await record('removeReferences', { as: 'gym', params: { typeName: 'Gym', id: demoId('999', 1) } });
  await record('listAccountRecords', { as: 'identity', params: { userId: demoId('999', 2) } });
  await record('eraseAccountRecords', { as: 'identity', params: { userId: demoId('999', 2) } });
}

async function readExamples({ record }: Recorder): Promise<void> {
  const [squat] = await record('listExercises', { as: 'nobody', query: { search: 'squat', limit: 2 } });
  await record('getExercise', { as: 'nobody', params: { id: squat.id } });
  await record('listExerciseCategories', { as: 'nobody' });
  await record('listMuscles', { as: 'nobody' });
  await record('listEquipment', { as: 'nobody' });
  const [routine] = await record('listWorkouts', {
    as: 'nobody',
    query: { difficulty: 'Beginner', limit: 1 },
  });
  await record('getWorkout', { as: 'nobody', params: { id: routine.id } });
  await record('listWorkoutExercises', { as: 'nobody', params: { id: routine.id } });
  await record('listWorkoutsOfCategory', {
    as: 'nobody',
    params: { category: 'Strength' },
    query: { limit: 1 },
  });
  const [product] = await record('listProducts', { as: 'nobody', query: { kind: 'SUPPLEMENT', limit: 2 } });
  await record('getProduct', { as: 'nobody', params: { id: product.id } });
  await record('listFeaturedProducts', { as: 'nobody' });
}

async function trainingExamples({ record, send }: Recorder): Promise<void> {
  const [bench] = await send('listExercises', {
    as: 'nobody',
    query: { search: 'barbell bench press', limit: 1 },
  });
  const MEMBER = { as: 'leo@iron.test' } as const;
  const training = await record('logTraining', {
    ...MEMBER,
    body: {
      title: 'Push',
      startedAt: '2026-11-20T17:00:00Z',
      endedAt: '2026-11-20T17:50:00Z',
      entries: [
        {
          exerciseId: bench.id,
          sets: [
            { id: 'bench-1', type: 'WARMUP', reps: 10, weightKg: 20 },
            { id: 'bench-2', reps: 5, weightKg: 80, rpe: 8 },
          ],
        },
      ],
    },
  });
  const atTraining = { ...MEMBER, params: { id: training.id } } as const;
  await record('logTrainingSet', {
    ...MEMBER,
    params: { id: training.id, setId: 'bench-3' },
    body: { exerciseId: bench.id, reps: 4, weightKg: 82.5, completedAt: '2026-11-20T17:20:00Z' },
  });
  await record('getTraining', atTraining);
  await record('updateTraining', { ...atTraining, body: { note: 'Felt strong.', version: 2 } });
  await record('listTrainings', { ...MEMBER, query: { limit: 1 } });
  const copy = await record('copyTraining', { ...atTraining, body: { startedAt: '2026-11-21T17:00:00Z' } });
  await record('getTrainingSummary', { ...MEMBER, query: { from: '2026-11-16', to: '2026-11-22' } });
  const atExercise = { ...MEMBER, params: { id: bench.id } } as const;
  await record('getLastSets', atExercise);
  await record('getExerciseRecords', atExercise);
  await record('getExerciseProgress', { ...atExercise, query: { metric: 'MAX_WEIGHT' } });
  await record('getExerciseProgressChart', { ...atExercise, query: { metric: 'VOLUME' } });
  await record('exportTrainings', MEMBER);
  await record('importTrainings', {
    ...MEMBER,
    type: 'text/csv',
    body: 'startedAt,endedAt,title,exercise,reps,weightKg\n2026-11-18T17:00:00Z,2026-11-18T17:40:00Z,Pull,Barbell Deadlift,5,100\n',
  });
  await record('getMuscleMap', atExercise);
  await record('writeSquadTraining', {
    as: 'squad',
    params: { squadId: demoId('999', 3), userId: demoPerson('leo@iron.test').id },
    body: {
      startedAt: '2026-11-19T17:00:00Z',
      endedAt: '2026-11-19T17:45:00Z',
      sets: [{ id: 'set-1', exerciseId: bench.id, reps: 8, weightKg: 60 }],
    },
  });
  await record('countTrainings', {
    as: 'gym',
    query: { of: `${demoPerson('leo@iron.test').id}/2026-11-01T00:00:00Z/2026-12-01T00:00:00Z` },
  });
  const [routine] = await send('listWorkouts', { as: 'nobody', query: { limit: 1 } });
  await record('copyWorkout', { ...MEMBER, params: { id: routine.id }, body: { title: 'My plan' } });
  await record('addFavouriteWorkout', { ...MEMBER, params: { id: routine.id } });
  await record('getNextWorkout', MEMBER);
  await record('removeFavouriteWorkout', { ...MEMBER, params: { id: routine.id } });
  await record('deleteTraining', { ...MEMBER, params: { id: copy.id } });
}
