import { beforeAll, describe, expect, it } from '@jest/globals';
import { BENCH, hourOf, trainingLog, type Person } from './training-support.ts';

const { rest, graph, register } = trainingLog();

/** The CSV repeats the note in the line of each set: 500 sets with this note need 4 MiB. */
const NOTE = '字'.repeat(2_750);
const SETS = Array.from({ length: 500 }, () => ({ reps: 5, weightKg: 60 }));
const TRAININGS = 3;

describe('an export of more than 8 MiB', () => {
  let ana: Person;
  let csv: string;
  beforeAll(async () => {
    ana = await register();
    for (let index = 1; index <= TRAININGS; index += 1)
      await rest(ana, 'POST', '/trainings', { ...hourOf(BENCH, SETS, 48 * index), note: NOTE });
    csv = (await rest(ana, 'GET', '/trainings/export.csv')).body;
  });

  it('is complete in REST, and the graph refuses it with an error that says what to do', async () => {
    expect(csv.trim().split('\n')).toHaveLength(1 + TRAININGS * SETS.length);
    expect(Buffer.byteLength(csv)).toBeGreaterThan(8 * 1024 * 1024);
    expect(csv.length).toBeLessThan(8 * 1024 * 1024); // so that only its bytes are too many
    const { data, errors } = await graph(ana, '{ trainingCsv }');
    expect(errors).toMatchObject([
      {
        message: expect.stringMatching(/8 MiB.*from.*to.*GET \/trainings\/export\.csv/),
        extensions: { code: 'PAYLOAD_TOO_LARGE', http: { status: 413 } },
      },
    ]);
    expect(data.trainingCsv).toBeNull();
  });

  it('is returned by the graph in parts', async () => {
    const days = (await rest(ana, 'GET', '/trainings')).body.map(
      ({ localDate }: { localDate: string }) => localDate,
    );
    expect(new Set(days).size).toBe(TRAININGS);
    const parts: string[] = [];
    for (const day of days.toReversed()) {
      const { data } = await graph(
        ana,
        'query ($from: Date, $to: Date) { trainingCsv(from: $from, to: $to) }',
        { from: day, to: day },
      );
      parts.push(data.trainingCsv);
    }
    const withoutHeader = (part: string) => part.slice(part.indexOf('\n') + 1);
    expect(parts.map(withoutHeader).join('')).toBe(withoutHeader(csv));
  });
});
