import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { EXERCISE_LIBRARY } from '../../subgraphs/content/exercises/exercise-library.ts';
import {
  CATEGORIES,
  EQUIPMENT,
  MUSCLES,
  libraryExerciseId,
  type LibraryExercise,
} from '../../subgraphs/content/exercises/library-exercise.ts';
import { LIBRARY_RULES } from './library-rules.ts';
import { LIBRARY_DIGEST } from '../../subgraphs/content/migrations/20261125100000_exercise_library.ts';

/** The names of the exercises that break a rule. */
const breaking = (follows: (exercise: LibraryExercise) => boolean): string[] =>
  EXERCISE_LIBRARY.filter((exercise) => !follows(exercise)).map(({ name }) => name);
const exercise = (name: string): LibraryExercise | undefined =>
  EXERCISE_LIBRARY.find((one) => one.name === name);

const SMALL_WORDS = /^(and|the|to)$/;

describe('the exercise library', () => {
  test('has at least 340 exercises, among them these well-known ones', () => {
    expect(EXERCISE_LIBRARY.length).toBeGreaterThanOrEqual(340);
    const names = new Set(EXERCISE_LIBRARY.map(({ name }) => name));
    for (const name of [
      'Burpee',
      'Freestyle Swimming',
      'Rowing Machine',
      'Air Bike',
      'Ski Erg',
      'Stair Climber',
      'Elliptical Trainer',
      'Treadmill Incline Walk',
      'Jump Rope',
      'Battle Ropes',
      'Sled Push',
      'Sled Pull',
      "Farmer's Walk",
      'Kettlebell Swing',
      'Turkish Get-Up',
      'Wall Ball',
      'Muscle-Up',
      'Assisted Pull-Up Machine',
      'Hip Abduction Machine',
      'Clean and Jerk',
      'Downward-Facing Dog',
      'Band Row',
    ])
      expect(names).toContain(name);
  });

  test('has the digest of the newest migration that writes it', () => {
    const digest = createHash('sha256').update(JSON.stringify(EXERCISE_LIBRARY)).digest('hex');
    expect(digest).toBe(LIBRARY_DIGEST);
  });

  test('has each name, alias and id only once', () => {
    const names = EXERCISE_LIBRARY.flatMap(({ name, aliases }) => [name, ...aliases]).map((name) =>
      name.toLowerCase().replaceAll('-', ' '),
    );
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    expect(new Set(EXERCISE_LIBRARY.map(({ name }) => libraryExerciseId(name))).size).toBe(
      EXERCISE_LIBRARY.length,
    );
  });

  test('names exercises in title case', () => {
    const titled = (word: string, index: number) =>
      /^[A-Z0-9(]/.test(word) || (index > 0 && SMALL_WORDS.test(word));
    expect(breaking(({ name }) => name.split(/[\s/-]/).every(titled))).toEqual([]);
  });

  test('uses every value of MUSCLES, EQUIPMENT and CATEGORIES', () => {
    const used = (values: (one: LibraryExercise) => string[]) =>
      [...new Set(EXERCISE_LIBRARY.flatMap(values))].toSorted();
    expect(used((one) => [...one.primaryMuscles, ...one.secondaryMuscles])).toEqual(MUSCLES);
    expect(used((one) => [one.equipment])).toEqual(EQUIPMENT);
    expect(used((one) => [one.category])).toEqual(CATEGORIES);
  });

  test('names each muscle of an exercise only once', () => {
    expect(
      breaking(({ primaryMuscles, secondaryMuscles }) => {
        const muscles = [...primaryMuscles, ...secondaryMuscles];
        return new Set(muscles).size === muscles.length;
      }),
    ).toEqual([]);
  });

  describe('follows the rule that', () => {
    test.each(LIBRARY_RULES)('%s', (_rule, follows) => {
      expect(breaking(follows)).toEqual([]);
    });
  });

  test.each<[string, Partial<LibraryExercise>]>([
    [
      'Curtsy Lunge',
      { primaryMuscles: ['glutes', 'quadriceps'], category: 'strength', mechanic: 'compound' },
    ],
    ['Split Squat', { primaryMuscles: ['quadriceps', 'glutes'], category: 'strength' }],
    ['Box Jump', { primaryMuscles: ['quadriceps', 'glutes'], equipment: 'box' }],
    ['Pistol Squat', { equipment: 'bodyweight', modality: 'WEIGHTED_BODYWEIGHT' }],
    ['Band Assisted Pull-Up', { equipment: 'band', modality: 'WEIGHTED_BODYWEIGHT', force: 'pull' }],
    ['Hip Flexor Stretch', { primaryMuscles: ['hip flexors'], secondaryMuscles: ['quadriceps'] }],
    ['Push-Up', { modality: 'WEIGHTED_BODYWEIGHT' }],
    ['Plank', { modality: 'WEIGHT_DURATION' }],
    ['Hanging Leg Raise', { modality: 'WEIGHTED_BODYWEIGHT' }],
    ['Flutter Kick', { primaryMuscles: ['abdominals', 'hip flexors'] }],
    ['Wind Sprint', { category: 'cardio', equipment: 'none' }],
  ])('describes %s as %j', (name, expected) => {
    expect(exercise(name)).toMatchObject(expected);
  });

  describe('has instructions that', () => {
    test('have 3 to 5 steps of 20 to 200 characters, each of whole sentences', () => {
      expect(breaking(({ instructions }) => instructions.length >= 3 && instructions.length <= 5)).toEqual(
        [],
      );
      const steps = EXERCISE_LIBRARY.flatMap(({ instructions }) => instructions);
      const wrong = (step: string) =>
        step.length < 20 || step.length > 200 || !/^[A-Z][^?!]*\.$/.test(step) || /\s\s|\. [a-z]/.test(step);
      expect(steps.filter(wrong)).toEqual([]);
    });

    test('have no step twice, and are the same for no two exercises', () => {
      expect(breaking(({ instructions }) => new Set(instructions).size === instructions.length)).toEqual([]);
      const lists = EXERCISE_LIBRARY.map(({ instructions }) => instructions.join('\n').toLowerCase());
      expect(lists.filter((list, index) => lists.indexOf(list) !== index)).toEqual([]);
    });
  });
});
