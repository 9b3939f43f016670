import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cellsOf, hostileTexts } from '../support/texts-of-users.ts';
import { hoursAgo, PULL_UP, RUN, trainingLog, type Person } from './training-support.ts';

const { platform, register, rest } = trainingLog();
/** The number of training logs; `IMPORT_SEEDS=1000` tests more. */
const numRuns = Number(process.env.IMPORT_SEEDS ?? 5);

const text = hostileTexts(60);
const note = hostileTexts(200, 'a=+-@\'",;\n\r é');
const optional = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: undefined });
const weights = fc.constantFrom(0, 0.125, 2.5, 100, 999.999);
const set = fc.record({
  type: fc.constantFrom('NORMAL', 'WARMUP', 'DROP', 'FAILURE'),
  reps: fc.integer({ min: 1, max: 1_000 }),
  load: fc.oneof(
    fc.constant({}),
    weights.map((weightKg) => ({ weightKg })),
    weights.map((assistedKg) => ({ assistedKg })),
  ),
  rpe: optional(fc.constantFrom(1, 7.5, 10)),
  restSeconds: optional(fc.constantFrom(0, 90, 3_600)),
});
const run = fc.record({
  distanceMeters: fc.constantFrom(0.5, 400, 42_195),
  durationSeconds: optional(fc.integer({ min: 1, max: 86_400 })),
});
const entry = fc.oneof(
  fc.record({ exercise: fc.constantFrom('own', 'library'), sets: fc.array(set, { maxLength: 3 }) }),
  fc.record({ exercise: fc.constant('run'), sets: fc.array(run, { maxLength: 2 }) }),
);
const training = fc.record({
  title: optional(text),
  note: optional(note),
  lasted: fc.integer({ min: 0, max: 300 }),
  minutes: fc.integer({ min: 0, max: 300 }),
  entries: fc.array(entry, { maxLength: 4 }),
});

// oxlint-disable-next-line no-explicit-any -- the JSON of a route
type Json = any;

/** What an import has to restore of a training; exercises by name, because ids of custom ones differ between users. */
const plain = (
  { title, note: words, startedAt, endedAt, minutes, volumeKg, entries }: Json,
  names: ReadonlyMap<string, string>,
) => ({
  title,
  note: words,
  startedAt,
  endedAt,
  minutes,
  volumeKg,
  entries: merged(entries.map(({ exerciseId, sets }: Json) => ({ exercise: names.get(exerciseId), sets }))),
});

/**
 * The entries after an import: neighbouring entries of one exercise become one, because the lines of a file do not
 * show where the first one ends, and an exercise without sets is kept once.
 */
const merged = (entries: Json[]): Json[] => {
  const all: Json[] = [];
  for (const one of entries) {
    const last = all.at(-1);
    if (one.sets.length === 0 && all.some(({ exercise }) => exercise === one.exercise)) continue;
    if (last?.exercise === one.exercise) last.sets = [...last.sets, ...one.sets];
    else all.push({ ...one });
  }
  return all;
};

const logOf = async (who: Person): Promise<Json[]> => {
  const { body } = await rest(who, 'GET', '/trainings?limit=200');
  const names = new Map<string, string>();
  for (const id of new Set<string>(
    body.flatMap(({ entries }: Json) => entries.map(({ exerciseId }: Json) => exerciseId)),
  ))
    names.set(id, (await rest(who, 'GET', `/exercises/${id}`)).body.name);
  return body.map((one: Json) => plain(one, names));
};
const importCsv = async (who: Person, body: string) => {
  const answer = await platform().rest('content', 'POST', '/trainings/import', {
    token: who.token,
    body,
    headers: { 'content-type': 'text/csv' },
  });
  expect({ status: answer.status, errors: answer.body.errors }).toEqual({ status: 200, errors: [] });
  return answer.body;
};

it('an export is taken back with every text, set and time, also by another account, and adds nothing the second time', () =>
  fc.assert(
    fc.asyncProperty(fc.array(training, { minLength: 1, maxLength: 4 }), text, async (plans, name) => {
      const [ana, ben] = [await register(), await register()];
      const own = await rest(ana, 'POST', '/exercises', {
        name,
        primaryMuscles: ['Chest'],
        modality: 'WEIGHTED_BODYWEIGHT',
      });
      expect(own.status).toBe(201);
      const ids = { own: own.body.id, library: PULL_UP, run: RUN };
      for (const [index, { lasted, minutes, entries, ...texts }] of plans.entries()) {
        const startedAt = Date.parse(hoursAgo(30 * (index + 1)));
        const { status, body } = await rest(ana, 'POST', '/trainings', {
          ...texts,
          startedAt: new Date(startedAt).toISOString(),
          endedAt: new Date(startedAt + lasted * 60_000).toISOString(),
          minutes: Math.min(minutes, lasted),
          entries: entries.map(({ exercise, sets }) => ({
            exerciseId: ids[exercise],
            sets: sets.map((one) => ('load' in one ? { ...one, load: undefined, ...one.load } : one)),
          })),
        });
        expect({ status, body }).toEqual({ status: 201, body: expect.any(Object) });
      }
      const before = await logOf(ana);
      const { body: csv } = await rest(ana, 'GET', '/trainings/export.csv');
      expect(await importCsv(ana, csv)).toMatchObject({ imported: 0, created: [] });
      expect(await logOf(ana)).toEqual(before);
      await importCsv(ben, csv);
      expect(await logOf(ben)).toEqual(before);
      const { body: second } = await rest(ben, 'GET', '/trainings/export.csv');
      for (const who of [ben, ana]) {
        const again = await importCsv(who, who === ben ? second : csv);
        expect(again).toMatchObject({ imported: 0, created: [] });
      }
      // No cell begins like a formula of a spreadsheet.
      expect(cellsOf(csv).filter((cell) => /^[=+@\uFF1D\uFF0B]/.test(cell))).toEqual([]);
    }),
    { numRuns, endOnFailure: Boolean(process.env.FAIL_FAST) },
  ));
