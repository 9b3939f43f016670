import type { LibraryExercise } from '../../subgraphs/content/exercises/library-exercise.ts';

type Rule = (one: LibraryExercise) => boolean;

const ifThen = (condition: boolean, consequence: boolean): boolean => !condition || consequence;
const oneOf = (value: string, ...values: string[]): boolean => values.includes(value);
const called = ({ name }: LibraryExercise, words: RegExp): boolean => words.test(name);

const LOADED: ReadonlySet<string> = new Set([
  'barbell',
  'dumbbell',
  'kettlebell',
  'ez bar',
  'trap bar',
  'plate',
  'cable',
  'smith machine',
]);

const EQUIPMENT_IN_NAMES = [
  [/\bBarbell\b/, 'barbell'],
  [/\bDumbbell\b/, 'dumbbell'],
  [/\bKettlebell\b/, 'kettlebell'],
  [/\bCable\b/, 'cable'],
  [/\bSmith Machine\b/, 'smith machine'],
  [/^EZ-Bar\b/, 'ez bar'],
  [/\bBand(ed)?\b/, 'band'],
  [/\bFoam Roll\b/, 'foam roller'],
  [/\bMedicine Ball\b/, 'medicine ball'],
  [/\bStability Ball\b/, 'stability ball'],
  [/\bTrap Bar\b/, 'trap bar'],
  [/^Plate\b/, 'plate'],
  [/^Ring\b/, 'rings'],
  [/\bSuspended\b/, 'suspension trainer'],
  [/\bSled\b/, 'sled'],
  [/\bBodyweight\b/, 'bodyweight'],
  [/^Treadmill\b/, 'machine'],
] as const;

/** For words in names: the first primary muscle must be one of these. */
const MUSCLES_IN_NAMES = [
  [/\bBench Press$/, ['chest', 'triceps']],
  [/\b(Chest Press|Chest Dip|Pec Deck)\b/, ['chest']],
  [/\bShoulder Press$/, ['shoulders']],
  [/\bTriceps\b/, ['triceps']],
  [/\b(Biceps|Preacher|Hammer) Curl$/, ['biceps']],
  [/\bCalf\b/, ['calves']],
  [/\b(Leg Curl|Hamstring)\b/, ['hamstrings']],
  [/\bLeg Extension$/, ['quadriceps']],
  [/\bGlute\b/, ['glutes', 'hamstrings']],
  [/\b(Lat Pulldown|Pull-Up|Chin-Up)\b/, ['lats', 'traps']],
  [/\bRow$/, ['middle back', 'lats', 'shoulders']],
  [/\bShrug$/, ['traps']],
  [/\bWrist\b/, ['forearms']],
  [/\bCrunch$|\bPlank$|\bSit-Up$/, ['abdominals', 'glutes', 'adductors', 'chest']],
  [/\b(Squat|Lunge)$/, ['quadriceps', 'hip flexors']],
  [/\bDeadlift$/, ['glutes', 'hamstrings', 'quadriceps']],
  [/\bHip Thrust$/, ['glutes']],
  [/\bHip Abduction\b/, ['abductors']],
  [/\bHip Adduction\b/, ['adductors']],
  [/\bHip Flexor\b/, ['hip flexors']],
] as const;

/** The rules of `subgraphs/content/exercises/data/README.md` between the fields of an exercise. */
export const LIBRARY_RULES: [string, Rule][] = [
  [
    'stretches and poses are held, so they are static, without a mechanic, and count time',
    ({ category, force, mechanic, modality }) =>
      ifThen(
        oneOf(category, 'stretching', 'yoga'),
        force === 'static' && mechanic === null && modality === 'DURATION',
      ),
  ],
  [
    'an exercise named stretch or foam roll is stretching, one named pose is yoga',
    (one) =>
      ifThen(called(one, /\b(Stretch|Foam Roll)$/), one.category === 'stretching') &&
      ifThen(called(one, /\b(Pose|Dog|Warrior)\b/) && !called(one, /Bird Dog/), one.category === 'yoga'),
  ],
  [
    'static exercises are held for a time',
    ({ force, modality }) => ifThen(force === 'static', oneOf(modality, 'DURATION', 'WEIGHT_DURATION')),
  ],
  [
    'planks and holds are static',
    (one) =>
      ifThen(
        called(one, /(Plank|Hold|Hang|L-Sit|Wall Sit)$/) && !called(one, /Push-Up to|Squat Hold/),
        one.force === 'static',
      ),
  ],
  [
    'cardio and mobility have neither force nor mechanic; all others but stretches and poses have a mechanic',
    ({ category, force, mechanic }) =>
      oneOf(category, 'cardio', 'mobility')
        ? force === null && mechanic === null
        : oneOf(category, 'stretching', 'yoga') || mechanic !== null,
  ],
  [
    'only locomotion, cardio and mobility have no force',
    ({ category, force, modality }) =>
      ifThen(
        force === null,
        oneOf(category, 'cardio', 'mobility') || oneOf(modality, 'WEIGHT_DISTANCE', 'DISTANCE_DURATION'),
      ),
  ],
  [
    'cardio counts time or distance',
    ({ category, modality }) =>
      ifThen(category === 'cardio', oneOf(modality, 'DURATION', 'DISTANCE_DURATION', 'WEIGHT_DISTANCE')),
  ],
  [
    'jumps, hops, throws and slams are plyometrics',
    (one) =>
      ifThen(
        called(one, /\b(Jump|Hop|Throw|Slam|Plyometric|Wall Ball)\b/) && !called(one, /Jump Rope/),
        one.category === 'plyometrics',
      ),
  ],
  [
    'plyometrics count repetitions',
    ({ category, modality }) => ifThen(category === 'plyometrics', modality.endsWith('_REPS')),
  ],
  [
    'barbell snatches, cleans and jerks are weightlifting, which needs a barbell and is not for beginners',
    (one) =>
      ifThen(
        called(one, /\b(Snatch|Clean|Jerk)\b/) && one.equipment === 'barbell',
        one.category === 'weightlifting',
      ) &&
      ifThen(
        one.category === 'weightlifting',
        one.equipment === 'barbell' && one.modality === 'WEIGHT_REPS' && one.level !== 'Beginner',
      ),
  ],
  [
    'powerlifting is a barbell squat, press or pull',
    (one) =>
      ifThen(
        one.category === 'powerlifting',
        one.equipment === 'barbell' && called(one, /(Squat|Press|Deadlift|Pull)$/),
      ),
  ],
  [
    'carries count weight over a distance',
    (one) => ifThen(called(one, /(Carry|Farmer's Walk|Yoke Walk)/), one.modality === 'WEIGHT_DISTANCE'),
  ],
  [
    'exercises with weights count weight',
    ({ equipment, modality }) => ifThen(LOADED.has(equipment), modality.startsWith('WEIGHT')),
  ],
  [
    'exercises with a machine count weight, except cardio',
    ({ equipment, modality, category }) =>
      ifThen(equipment === 'machine' && category !== 'cardio', modality.startsWith('WEIGHT')),
  ],
  [
    'bodyweight exercises do not count weight alone',
    ({ equipment, modality }) =>
      ifThen(
        equipment === 'bodyweight',
        oneOf(
          modality,
          'BODYWEIGHT_REPS',
          'WEIGHTED_BODYWEIGHT',
          'DURATION',
          'WEIGHT_DURATION',
          'DISTANCE_DURATION',
        ),
      ),
  ],
  [
    'exercises with the equipment `none` are cardio, stretches, poses or mobility',
    ({ equipment, category }) =>
      ifThen(equipment === 'none', oneOf(category, 'cardio', 'stretching', 'yoga', 'mobility')),
  ],
  [
    'the equipment in the name of an exercise is its equipment',
    (one) =>
      EQUIPMENT_IN_NAMES.every(([words, equipment]) =>
        ifThen(called(one, words) && one.name !== 'IT Band Foam Roll', one.equipment === equipment),
      ),
  ],
  [
    'push-ups, pull-ups, dips and leg raises take weight or assistance',
    (one) =>
      ifThen(
        called(one, /\b(Push-Up|Pull-Up|Chin-Up|Dip|Leg Raise|Knee Raise|Muscle-Up)$/) &&
          !called(one, /Plyometric|Machine|Scapular Push-Up/) &&
          one.category === 'strength',
        one.modality === 'WEIGHTED_BODYWEIGHT',
      ),
  ],
  [
    'curls, extensions, raises, flies, kickbacks, shrugs and pushdowns move one joint',
    (one) =>
      ifThen(
        called(
          one,
          /\b(Curl|Extension|Calf Raise|Lateral Raise|Front Raise|Fly|Kickback|Shrug|Pushdown|Abduction|Adduction)$/,
        ) && one.equipment !== 'stability ball',
        one.mechanic === 'isolation',
      ),
  ],
  [
    'presses, rows, squats, lunges, deadlifts, pull-ups, push-ups and thrusts move several joints',
    (one) =>
      ifThen(
        called(one, /\b(Press|Row|Squat|Lunge|Deadlift|Pull-Up|Chin-Up|Push-Up|Pulldown|Hip Thrust|Dip)$/) &&
          !called(one, /^(Scapular|Straight-Arm|Sissy|Tate|Svend|Side Plank)/) &&
          one.category !== 'yoga',
        one.mechanic === 'compound',
      ),
  ],
  [
    'the movement in the name of an exercise decides its force',
    (one) =>
      ifThen(
        called(one, /\b(Row|Pulldown|Pull-Up|Chin-Up|Curl|Deadlift|Shrug|Face Pull)$/),
        one.force === 'pull',
      ) &&
      ifThen(
        called(one, /\b(Press|Squat|Lunge|Push-Up|Dip|Calf Raise|Thrust|Fly)$/) &&
          !called(one, /Rear Delt Fly|Reverse Fly|Scapular|Side Plank/) &&
          one.category !== 'yoga',
        one.force === 'push',
      ),
  ],
  [
    'the muscle or movement in the name of an exercise decides its first primary muscle',
    (one) =>
      MUSCLES_IN_NAMES.every(([words, muscles]) =>
        ifThen(
          called(one, words) && !oneOf(one.name, 'Curtsy Lunge', 'Reverse Pec Deck', 'Overhead Squat'),
          muscles.some((muscle) => muscle === one.primaryMuscles[0]),
        ),
      ),
  ],
];
