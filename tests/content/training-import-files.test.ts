import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fitFile, fitMessages, tcxOf, type PlannedActivity } from './import-files/activity-files.ts';
import { csvOf, csvText, type CsvLine, type CsvStyle } from './import-files/csv-files.ts';
import { plans, sumsOf, type PlannedSet, type Sums } from './import-files/training-plans.ts';
import { trainingLog, type Person } from './training-support.ts';

const { platform, register, rest } = trainingLog();
/** The number of files of each property; `IMPORT_SEEDS=1000` tests more. */
const numRuns = Number(process.env.IMPORT_SEEDS ?? 8);

const TYPES = {
  csv: 'text/csv',
  fit: 'application/vnd.ant.fit',
  tcx: 'application/vnd.garmin.tcx+xml',
} as const;
const send = (who: Person, type: keyof typeof TYPES, body: string | Buffer, query = '') =>
  platform().rest('content', 'POST', `/trainings/import${query}`, {
    token: who.token,
    body,
    headers: { 'content-type': TYPES[type] },
  });

interface Stored {
  minutes: number;
  volumeKg: number;
  entries: {
    sets: { reps: number | null; durationSeconds: number | null; distanceMeters: number | null }[];
  }[];
}
const storedOf = async (who: Person): Promise<Sums> => {
  const { body } = await rest(who, 'GET', '/trainings?limit=200');
  const trainings = body as Stored[];
  const sets = trainings.flatMap(({ entries }) => entries.flatMap((entry) => entry.sets));
  const sum = (values: (number | null)[]) => values.reduce<number>((all, value) => all + (value ?? 0), 0);
  return {
    trainings: trainings.length,
    sets: sets.length,
    reps: sum(sets.map(({ reps }) => reps)),
    minutes: sum(trainings.map(({ minutes }) => minutes)),
    seconds: sum(sets.map(({ durationSeconds }) => durationSeconds)),
    meters: sum(sets.map(({ distanceMeters }) => distanceMeters)),
    volumeKg: sum(trainings.map(({ volumeKg }) => volumeKg)),
  };
};
/** The sums of distances and weights may differ by 0.5, because each distance and weight is rounded by the import. */
const about = ({ meters, volumeKg, ...exact }: Sums) => ({
  ...exact,
  meters: expect.closeTo(meters, 0),
  volumeKg: expect.closeTo(volumeKg, 0),
});

const style: fc.Arbitrary<CsvStyle> = fc.record({
  app: fc.constantFrom('hevy' as const, 'strong' as const, 'strong android' as const, 'strong 6' as const),
  isImperial: fc.boolean(),
  end: fc.constantFrom('\n' as const, '\r\n' as const),
  hasBom: fc.boolean(),
  zone: fc.constantFrom('UTC', 'Asia/Kolkata', 'America/Phoenix'),
});
const queryOf = ({ zone, isImperial }: CsvStyle) => `?timezone=${zone}${isImperial ? '&units=imperial' : ''}`;
const unitsOf = ({ isImperial }: CsvStyle) =>
  isImperial
    ? { kgPerWeight: 0.45359237, metersPerDistance: 1_609.344 }
    : { kgPerWeight: 1, metersPerDistance: 1_000 };

/** What happens to the lines of a set. */
const fate = fc.constantFrom('kept', 'kept', 'kept', 'lost', 'doubled', 'wrong');
const NO_REPS = ['NaN', '1e309', '-5', '999999999', 'Infinity', '0x1F', '=2+3', '１２'];

describe('files of Hevy and Strong', () => {
  it('are read with all of their sets, in any order of columns; a lost, doubled or wrong line changes only its own set', () =>
    fc.assert(
      fc.asyncProperty(
        plans,
        style,
        fc.infiniteStream(fate),
        fc.nat(NO_REPS.length - 1),
        fc.nat(1_000),
        async (plan, as, fates, wrongReps, turn) => {
          const ana = await register();
          const { header, lines } = csvOf(plan, as);
          const decided = new Map<PlannedSet, string>();
          for (const { sets } of plan) for (const set of sets) decided.set(set, fates.next().value ?? 'kept');
          const parts: CsvLine[][] = [];
          for (const line of lines) {
            if (line.set) parts.push([line]);
            else parts.at(-1)?.push(line);
          }
          const repsAt = header.findIndex((title) => title.toLowerCase() === 'reps');
          const changed = parts.flatMap((part) => {
            const done = decided.get(part[0]?.set as PlannedSet);
            if (done === 'lost') return [];
            if (done === 'doubled') return [...part, ...part];
            if (done !== 'wrong') return part;
            const [first, ...others] = part as [CsvLine, ...CsvLine[]];
            return [{ ...first, fields: first.fields.with(repsAt, NO_REPS[wrongReps] ?? '') }, ...others];
          });
          const turned = (fields: readonly string[]) => [
            ...fields.slice(turn % fields.length),
            ...fields.slice(0, turn % fields.length),
          ];
          const text = csvText(
            { header: turned(header), lines: changed.map(({ fields }) => ({ fields: turned(fields) })) },
            as,
          );
          const timesOf = (set: PlannedSet) =>
            ({ kept: 1, doubled: 2 })[decided.get(set) as 'kept' | 'doubled'] ?? 0;
          const imported = parts.reduce(
            (sum, part) => sum + timesOf(part[0]?.set as PlannedSet) * part.length,
            0,
          );
          const report = {
            lines: changed.length,
            imported,
            duplicates: 0,
            failed: changed.length - imported,
          };
          expect(await send(ana, 'csv', text, queryOf(as))).toMatchObject({ status: 200, body: report });
          expect(await storedOf(ana)).toEqual(about(sumsOf(plan, unitsOf(as), timesOf)));
          const again = { ...report, imported: 0, duplicates: imported, trainings: 0, created: [] };
          expect((await send(ana, 'csv', text, queryOf(as))).body).toMatchObject(again);
          expect(await storedOf(ana)).toEqual(about(sumsOf(plan, unitsOf(as), timesOf)));
        },
      ),
      { numRuns },
    ));
});

const activities: fc.Arbitrary<PlannedActivity[]> = fc
  .uniqueArray(
    fc.record({
      start: fc.integer({ min: 1_700_000_000, max: 1_760_000_000 }),
      sport: fc.constantFrom('running' as const, 'cycling' as const, 'generic' as const),
      laps: fc
        .array(
          fc.record({
            pause: fc.nat(100),
            millis: fc.integer({ min: 1_000, max: 2_000_000 }),
            centimeters: fc.nat(900_000),
          }),
          { minLength: 1, maxLength: 8 },
        )
        .map((laps) => {
          let after = 0;
          return laps.map(({ pause, millis, centimeters }) => {
            const lap = { after, millis, centimeters };
            after += Math.ceil(millis / 1_000) + pause;
            return lap;
          });
        }),
    }),
    // One activity a day, because a watch does not record two activities at once.
    { minLength: 1, maxLength: 4, selector: ({ start }) => Math.floor(start / 86_400) },
  )
  .map((all) =>
    all.map((one) => ({ ...one, start: Math.floor(one.start / 86_400) * 86_400 + (one.start % 20_000) })),
  );

const sumsOfActivities = (all: readonly PlannedActivity[]): Sums => {
  const laps = all.flatMap((one) => one.laps);
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  return {
    trainings: all.length,
    sets: laps.length,
    reps: 0,
    minutes: sum(all.map((one) => Math.floor(sum(one.laps.map(({ millis }) => millis)) / 60_000))),
    seconds: sum(laps.map(({ millis }) => Math.round(millis / 1_000))),
    meters: sum(laps.map(({ centimeters }) => centimeters)) / 100,
    volumeKg: 0,
  };
};

describe('activities of watches', () => {
  it('are read with all of their laps, and are one training as FIT and as TCX', () =>
    fc.assert(
      fc.asyncProperty(activities, fc.boolean(), fc.boolean(), async (all, isBigEndian, isFitFirst) => {
        const ana = await register();
        const files = {
          fit: fitFile(fitMessages(all.toSorted((one, other) => one.start - other.start)), isBigEndian),
          tcx: `  \n${tcxOf(all)}`,
        };
        const order = isFitFirst ? (['fit', 'tcx'] as const) : (['tcx', 'fit'] as const);
        const expected = sumsOfActivities(all);
        const report = { lines: expected.sets, imported: expected.sets, duplicates: 0, failed: 0 };
        expect(await send(ana, order[0], files[order[0]])).toMatchObject({ status: 200, body: report });
        expect(await storedOf(ana)).toEqual(about(expected));
        const again = { ...report, imported: 0, duplicates: expected.sets, trainings: 0 };
        for (const kind of order) expect((await send(ana, kind, files[kind])).body).toMatchObject(again);
        expect(await storedOf(ana)).toEqual(about(expected));
      }),
      { numRuns },
    ));
});

const damages = fc.array(
  fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    remove: fc.nat(20),
    insert: fc.oneof(
      fc.uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes)),
      fc
        .constantFrom('"', '\n', '\0', '<', '</Lap>', '&x;', ';', 'NaN', '9'.repeat(400))
        .map((text) => Buffer.from(text)),
    ),
    isCut: fc.integer({ min: 0, max: 5 }).map((value) => value === 0),
  }),
  { minLength: 1, maxLength: 3 },
);
const damaged = (
  bytes: Buffer,
  { at, remove, insert, isCut }: { at: number; remove: number; insert: Buffer; isCut: boolean },
) => {
  const from = Math.floor(at * bytes.length);
  return Buffer.concat([
    bytes.subarray(0, from),
    insert,
    isCut ? Buffer.alloc(0) : bytes.subarray(from + remove),
  ]);
};

describe('damaged files', () => {
  it('are refused, or every line is counted, and a second import adds nothing', () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom('csv' as const, 'fit' as const, 'tcx' as const),
        plans,
        style,
        activities,
        damages,
        fc.constantFrom('utf8' as const, 'utf16le' as const, 'latin1' as const),
        async (kind, plan, as, all, changes, encoding) => {
          const ana = await register();
          const whole = {
            csv: () => Buffer.from(csvText(csvOf(plan, as), as), encoding),
            tcx: () => Buffer.from(tcxOf(all), encoding),
            fit: () => fitFile(fitMessages(all)),
          }[kind]();
          const file = changes.reduce(damaged, whole);
          const first = await send(ana, kind, file, queryOf(as));
          expect([200, 400, 409, 413]).toContain(first.status);
          const before = await storedOf(ana);
          const { lines, imported, duplicates, failed, errors } = first.body;
          const second = await send(ana, kind, file, queryOf(as));
          const isAccepted = first.status === 200;
          expect({
            counted: isAccepted ? imported + duplicates + failed : null,
            failedLines: isAccepted ? new Set(errors.map(({ line }: { line: number }) => line)).size : null,
            hasReason: isAccepted || first.body.detail.length > 10,
          }).toEqual({
            counted: isAccepted ? lines : null,
            failedLines: isAccepted ? failed : null,
            hasReason: true,
          });
          expect(second).toMatchObject({
            status: first.status,
            body: isAccepted ? { imported: 0, duplicates: imported + duplicates, failed } : {},
          });
          expect(await storedOf(ana)).toEqual(before);
        },
      ),
      { numRuns: numRuns * 2 },
    ));
});
