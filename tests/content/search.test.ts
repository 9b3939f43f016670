import { describe, expect, test } from '@jest/globals';
import { EXERCISE_LIBRARY } from '../../subgraphs/content/exercises/exercise-library.ts';
import { randomFrom } from '../support/graph-doubles/random.ts';
import { contentService, PRODUCT, unique } from './support.ts';

/** The number of generated searches of each kind; SEARCH_CASES=5000 tests more. */
const CASES = Number(process.env.SEARCH_CASES ?? 150);

/** The text of the library in which a search looks, in lower case and without punctuation. */
const LIBRARY_TEXT = EXERCISE_LIBRARY.map(
  ({ instructions: _instructions, modality: _modality, ...searched }) => ` ${JSON.stringify(searched)}`,
)
  .join('')
  .toLowerCase()
  .replaceAll(/[^a-z0-9]+/g, ' ');

const { rest, graph } = contentService();

interface Found {
  name?: string;
  title?: string;
}

async function search(list: string, text: string, limit = 200): Promise<string[]> {
  const { status, body } = await rest(
    'maya@iron.test',
    'GET',
    `/${list}?search=${encodeURIComponent(text)}&limit=${limit}`,
  );
  expect({ text, status }).toEqual({ text, status: 200 });
  return (body as Found[]).map(({ name, title }) => name ?? title ?? '');
}

describe('a search', () => {
  test.each([
    ['exercises', 'bench press', 'Barbell Bench Press'],
    ['exercises', 'pull up', 'Pull-Up'],
    ['exercises', 'rdl', 'Romanian Deadlift'],
    ['exercises', 'Push-Up', 'Push-Up'],
    ['exercises', 'pullups', 'Pull-Up'],
    ['exercises', 'dead lift', 'Barbell Deadlift'],
    ['exercises', 'benchpress', 'Barbell Bench Press'],
    ['exercises', "FARMER'S  WALK", "Farmer's Walk"],
    ['workouts', 'legday', 'Leg Day'],
    ['workouts', 'push-day', 'Push Day'],
    ['products', 'whey protein 1kg', 'Whey Protein 1 kg'],
    ['products', 'whey-1kg', 'Whey Protein 1 kg'],
  ])('of %s for "%s" has %s first', async (list, text, name) => {
    expect((await search(list, text, 1))[0]).toBe(name);
  });

  test.each([
    ['exercises', 'benhc pres', 'Barbell Bench Press'],
    ['exercises', 'benchpres', 'Barbell Bench Press'],
    ['exercises', 'squats', 'Barbell Back Squat'],
    ['exercises', 'squts', 'Barbell Back Squat'],
    ['exercises', 'dead', 'Barbell Deadlift'],
    ['exercises', 'deadlfit', 'Barbell Deadlift'],
    ['exercises', 'press-ups', 'Push-Up'],
    ['exercises', 'lat pull down', 'Lat Pulldown'],
    ['exercises', 'wieghted pullup', 'Weighted Pull-Up'],
    ['exercises', 'skiping', 'Jump Rope'],
    ['exercises', 'cardio', 'Rowing Machine'],
    ['exercises', 'yoga', 'Tree Pose'],
    ['exercises', 'upper body', 'Barbell Bench Press'],
    ['exercises', 'lower-body', 'Leg Press'],
    ['exercises', 'abs', 'Plank'],
    ['exercises', 'beginer kettlebell', 'Goblet Squat'],
    ['exercises', 'body weight squat', 'Bodyweight Squat'],
    ['workouts', 'dead lift', 'Iron Temple Deadlift Club'],
    ['workouts', 'cardio', 'Easy Run'],
    ['workouts', 'mobilty', 'Mobility Reset'],
    ['workouts', 'upper body', 'Push Day'],
    ['workouts', 'beginer', 'Easy Run'],
    ['workouts', 'kettle bell', 'Kettlebell Conditioning'],
    ['products', 'protien', 'Whey Protein 1 kg'],
    ['products', 'liftingbelt', 'Lifting Belt'],
    ['products', 'supplements', 'Creatine Monohydrate 500 g'],
  ])('of %s for "%s" finds %s', async (list, text, name) => {
    expect(await search(list, text)).toContain(name);
  });

  test.each([
    [
      'upper body',
      ['chest', 'lats', 'middle back', 'shoulders', 'biceps', 'triceps', 'forearms', 'traps', 'neck'],
    ],
    ['lower body', ['quadriceps', 'hamstrings', 'glutes', 'calves', 'abductors', 'adductors', 'hip flexors']],
  ])('for "%s" has only exercises for the muscles of this area on its first page', async (text, muscles) => {
    const { body } = await rest('anyone', 'GET', `/exercises?search=${encodeURIComponent(text)}&limit=100`);
    expect(body).toHaveLength(100);
    for (const { primaryMuscles } of body)
      expect(primaryMuscles.some((muscle: string) => muscles.includes(muscle))).toBe(true);
  });

  test('is the same by REST and by the graph', async () => {
    for (const text of ['squts', 'upper body', '%', 'dead lift']) {
      const { data } = await graph(
        'maya@iron.test',
        'query($text: String) { exercises(search: $text, first: 200) { nodes { name } } }',
        { text },
      );
      expect(data.exercises.nodes.map(({ name }: Found) => name)).toEqual(await search('exercises', text));
    }
  });

  test.each([
    `'; drop table exercise; --`,
    '(((',
    ':*',
    '&|!',
    'a'.repeat(200),
    'ab '.repeat(66),
    '\u0000x',
    '🏋️',
    'é',
    '深蹲',
    'ﬁ',
  ])('for %j is answered with a list', async (text) => {
    for (const list of ['exercises', 'workouts', 'products'])
      expect(Array.isArray(await search(list, text))).toBe(true);
  });

  test('finds words with accents', async () => {
    const name = `Développé ${unique()}`;
    await rest('admin@iron.test', 'POST', '/products', { ...PRODUCT, sku: unique(), name });
    expect(await search('products', name.toUpperCase())).toEqual([name]);
    expect(await search('products', name.normalize('NFD'))).toEqual([name]);
  });
});

describe('an exercise of the library is found', () => {
  const random = randomFrom(process.env.SEARCH_SEED ?? 'search');
  const wordsOf = (name: string) => name.replaceAll("'", '').split(/[^A-Za-z0-9]+/);
  const long = (name: string) => wordsOf(name).filter((word) => word.length >= 5);

  /** The word with one typing error: a letter that is missing, doubled, or exchanged with the next one. */
  function mistyped(word: string): string {
    const at = 1 + random.below(word.length - 2);
    return random.pick([
      word.slice(0, at) + word.slice(at + 1),
      word.slice(0, at) + word.slice(at - 1),
      `${word.slice(0, at)}${word[at + 1]}${word[at]}${word.slice(at + 2)}`,
    ]);
  }
  /** Whether a word of the library begins with this text: for the search it is then the beginning of a word, not an error. */
  const isBeginning = (typed: string) => LIBRARY_TEXT.includes(` ${typed.toLowerCase()}`);
  const replaced = (name: string, word: string, by: string) =>
    wordsOf(name)
      .map((one) => (one === word ? by : one))
      .join(' ');

  test.each<[string, (name: string) => string | undefined]>([
    ['by its words in another order', (name) => wordsOf(name).toReversed().join(' ')],
    [
      'with two of its words joined',
      (name) => {
        const words = wordsOf(name);
        const index = words.findIndex(
          (word, at) => word.length >= 3 && (words[at + 1]?.length ?? 0) >= 2 && !/^\d/.test(word),
        );
        return index < 0
          ? undefined
          : [
              ...words.slice(0, index),
              words.slice(index, index + 2).join(''),
              ...words.slice(index + 2),
            ].join(' ');
      },
    ],
    [
      'with one of its words split',
      (name) => {
        const words = long(name);
        if (words.length === 0) return undefined;
        const word = random.pick(words);
        const at = 2 + random.below(word.length - 3);
        return replaced(name, word, `${word.slice(0, at)} ${word.slice(at)}`);
      },
    ],
    [
      'with a typing error in one of its words',
      (name) => {
        const words = long(name);
        if (words.length === 0) return undefined;
        const word = random.pick(words);
        const typed = mistyped(word);
        return isBeginning(typed) ? undefined : replaced(name, word, typed);
      },
    ],
  ])('%s', async (_how, change) => {
    const missed: string[] = [];
    for (let index = 0; index < CASES; index++) {
      const { name } = random.pick(EXERCISE_LIBRARY);
      const text = change(name);
      if (text && !(await search('exercises', text)).includes(name)) missed.push(`${name}: ${text}`);
    }
    expect(missed).toEqual([]);
  });
});
