import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { TrainingShape } from '../../subgraphs/content/trainings/trainings.shapes.ts';
import type { ExerciseRecordShape } from '../../subgraphs/content/trainings/progress.shapes.ts';
import { BENCH, PULL_UP, trainingLog } from './training-support.ts';

const { rest, register } = trainingLog();

/** The number of random sequences of changes; `TRAINING_RUNS=200` tests more. */
const RUNS = Number(process.env.TRAINING_RUNS ?? 6);

const set = fc.record({
  type: fc.constantFrom('NORMAL', 'WARMUP', 'DROP'),
  reps: fc.integer({ min: 1, max: 15 }),
  weightKg: fc.option(fc.integer({ min: 0, max: 40 }).map((steps) => steps * 2.5)),
});
const startedAt = fc
  .integer({ min: 0, max: 40 * 24 * 60 })
  .map((minutes) => new Date(Date.UTC(2026, 2, 1) + minutes * 60_000).toISOString());
const entry = fc.record({
  exerciseId: fc.constantFrom(BENCH, PULL_UP),
  sets: fc.array(set, { maxLength: 4 }),
});
const entries = fc.array(entry, { maxLength: 3 });
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('log' as const), startedAt, entries }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('edit' as const), which: fc.nat(), entries }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('move' as const), which: fc.nat(), startedAt }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('set' as const),
      which: fc.nat(),
      set,
      id: fc.constantFrom('a', 'b'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), which: fc.nat() }) },
);

/** The counted sets of an exercise with their trainings, read from the trainings themselves. */
const countedSets = (trainings: readonly TrainingShape[], exerciseId: string) =>
  trainings.flatMap((training) =>
    training.entries
      .filter((one) => one.exerciseId === exerciseId)
      .flatMap((one) =>
        one.sets.filter(({ type }) => type !== 'WARMUP').map((counted) => ({ training, counted })),
      ),
  );

const best = (values: (number | null)[]): number | null =>
  values.reduce<number | null>(
    (most, value) => (value !== null && value > (most ?? -1) ? value : most),
    null,
  );

it('records, series and sums equal a recount of all sets after any changes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
      const ana = await register();
      const ids: string[] = [];
      const timezone = 'Europe/Berlin';
      for (const one of steps) {
        if (one.kind === 'log') {
          const endedAt = new Date(Date.parse(one.startedAt) + 3_600_000).toISOString();
          const { body } = await rest(ana, 'POST', '/trainings', {
            startedAt: one.startedAt,
            endedAt,
            entries: one.entries,
            timezone,
          });
          ids.push(body.id);
          continue;
        }
        if (ids.length === 0) continue;
        const index = one.which % ids.length;
        const path = `/trainings/${ids[index]}`;
        const endedAt = one.kind === 'move' && new Date(Date.parse(one.startedAt) + 1_800_000).toISOString();
        if (one.kind === 'delete') ids.splice(index, 1);
        const changed =
          one.kind === 'delete'
            ? await rest(ana, 'DELETE', path)
            : one.kind === 'edit'
              ? await rest(ana, 'PUT', path, { entries: one.entries })
              : one.kind === 'move'
                ? await rest(ana, 'PUT', path, { startedAt: one.startedAt, endedAt, timezone })
                : await rest(ana, 'PUT', `${path}/sets/${one.id}`, {
                    ...one.set,
                    exerciseId: BENCH,
                    completedAt: (await rest(ana, 'GET', path)).body.startedAt,
                  });
        expect(changed.status).toBe(one.kind === 'delete' ? 204 : 200);
      }

      const { body: trainings } = await rest(ana, 'GET', '/trainings?limit=200');
      expect(trainings.map(({ id }: TrainingShape) => id).toSorted()).toEqual(ids.toSorted());
      for (const exerciseId of [BENCH, PULL_UP]) await expectRecount(ana, trainings, exerciseId);
      const { body: summary } = await rest(
        ana,
        'GET',
        '/trainings/summary?from=2026-02-01&to=2026-05-01&bucket=month',
      );
      const own = trainings as TrainingShape[];
      expect(summary.count).toBe(own.length);
      expect(summary.minutes).toBe(own.reduce((sum, { minutes }) => sum + (minutes ?? 0), 0));
      expect(summary.volumeKg).toBeCloseTo(
        own.reduce((sum, { volumeKg }) => sum + volumeKg, 0),
        6,
      );
      const chest = countedSets(own, BENCH).reduce(
        (sum, { counted }) => sum + (counted.reps ?? 0) * (counted.weightKg ?? 0),
        0,
      );
      const shown = summary.volumeByMuscle.find(({ muscle }: { muscle: string }) => muscle === 'chest');
      expect(shown?.volumeKg ?? 0).toBeCloseTo(chest, 6);
    }),
    { numRuns: RUNS },
  );
});

async function expectRecount(
  ana: Awaited<ReturnType<typeof register>>,
  trainings: readonly TrainingShape[],
  exerciseId: string,
): Promise<void> {
  const { body: records } = await rest(ana, 'GET', `/exercises/${exerciseId}/records`);
  const sets = countedSets(trainings, exerciseId);
  const epley = (weightKg: number | null, reps: number | null) =>
    weightKg && reps && reps <= 12
      ? reps === 1
        ? weightKg
        : Math.round(weightKg * (1 + reps / 30) * 100) / 100
      : null;
  const volumes = trainings.map((training) =>
    countedSets([training], exerciseId).reduce(
      (sum, { counted }) => sum + (counted.reps ?? 0) * (counted.weightKg ?? 0),
      0,
    ),
  );
  const expected = {
    heaviest: best(sets.map(({ counted }) => counted.weightKg || null)),
    mostReps: best(sets.map(({ counted }) => counted.reps)),
    e1rm: best(sets.map(({ counted }) => epley(counted.weightKg, counted.reps))),
    volume: best(volumes.map((volume) => volume || null)),
  };
  for (const [name, value] of Object.entries(expected)) {
    const record = records[name] as ExerciseRecordShape | null;
    expect([name, record?.value ?? null]).toEqual([name, value]);
    // The named set is in the named training.
    const named = sets.some(
      ({ training, counted }) =>
        training.id === record?.trainingId &&
        counted.reps === record.reps &&
        counted.weightKg === record.weightKg,
    );
    expect([name, named]).toEqual([name, name !== 'volume' && value !== null]);
  }
  const { body: series } = await rest(ana, 'GET', `/exercises/${exerciseId}/progress?metric=VOLUME`);
  const points = trainings.flatMap(({ id, localDate }, index) =>
    volumes[index] ? [{ date: localDate, value: volumes[index], trainingId: id }] : [],
  );
  expect(series.points).toHaveLength(points.length);
  expect(series.points).toEqual(expect.arrayContaining(points));
}
