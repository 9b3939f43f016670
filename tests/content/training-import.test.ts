import { describe, expect, it } from '@jest/globals';
import { BENCH, hourOf, PLANK, trainingLog, type Person } from './training-support.ts';

const { rest, graph, register, platform } = trainingLog();

const importCsv = (who: Person, csv: string, query = '') =>
  rest(who, 'POST', `/trainings/import${query}`, csv, { 'content-type': 'text/csv' });

const HEADER = 'startedAt,endedAt,title,exercise,type,reps,weightKg,durationSeconds';

describe('an import', () => {
  it('takes back what the export gives, for the same user and for another one, and adds nothing twice', async () => {
    const [ana, ben] = [await register(), await register()];
    const sets = [
      { type: 'WARMUP', reps: 10, weightKg: 20, rpe: 5 },
      { reps: 5, weightKg: 80.5, restSeconds: 90 },
    ];
    await rest(ana, 'POST', '/trainings', {
      ...hourOf(BENCH, sets, 50),
      title: 'Push, "heavy"',
      note: 'Line\nbreak',
    });
    await rest(ana, 'POST', '/trainings', { ...hourOf(PLANK, [{ durationSeconds: 60 }], 26), title: '=Sum' });
    await rest(ana, 'POST', '/trainings', { ...hourOf(PLANK, [], 4), entries: [], title: 'Walk' });
    const { body: csv } = await rest(ana, 'GET', '/trainings/export.csv');
    const all = { lines: 4, imported: 4, duplicates: 0, failed: 0, errors: [], trainings: 3, created: [] };
    const again = { ...all, imported: 0, duplicates: 4, trainings: 0 };
    expect((await importCsv(ana, csv)).body).toMatchObject(again);
    expect(await importCsv(ben, csv)).toMatchObject({ status: 200, body: all });
    expect((await importCsv(ben, csv)).body).toMatchObject(again);
    const contentOf = async (who: Person) =>
      (await rest(who, 'GET', '/trainings')).body.map(
        ({ title, note, startedAt, endedAt, minutes, entries, volumeKg }: Record<string, unknown>) => ({
          title,
          note,
          startedAt,
          endedAt,
          minutes,
          entries,
          volumeKg,
        }),
      );
    expect(await contentOf(ben)).toEqual(await contentOf(ana));
    expect((await rest(ben, 'GET', `/exercises/${BENCH}/records`)).body.heaviest).toMatchObject({
      value: 80.5,
    });
  });

  it('adds lines to a training that they name in two ways: by its id, and by its start and title', async () => {
    const ana = await register();
    const header = 'trainingId,startedAt,title,exercise,reps,weightKg';
    const line = (id: string, reps: number) =>
      `${id},2026-03-01T10:00:00Z,Push,Barbell Bench Press,${reps},60`;
    expect((await importCsv(ana, `${header}\n${line('', 5)}`)).body).toMatchObject({
      imported: 1,
      trainings: 1,
    });
    const [{ id }] = (await rest(ana, 'GET', '/trainings')).body;
    const { status, body } = await importCsv(ana, [header, line(id, 6), line('', 7)].join('\n'));
    expect([status, body]).toEqual([200, expect.objectContaining({ imported: 2, trainings: 0, failed: 0 })]);
    const { body: training } = await rest(ana, 'GET', `/trainings/${id}`);
    expect(training).toMatchObject({ version: 2, volumeKg: (5 + 6 + 7) * 60 });
  });

  it('accounts for every line, and a corrected file adds only what was wrong', async () => {
    const ana = await register();
    const line = (exercise: string, rest_: string) =>
      `2026-03-01T10:00:00Z,2026-03-01T11:00:00Z,Push,${exercise},${rest_}`;
    const wrong = [
      HEADER,
      line('Barbell Bench Press', 'NORMAL,5,80,'),
      line('bench press', 'NORMAL,5,many,'),
      line('Plank', 'NORMAL,5,,'),
      line('', 'NORMAL,5,,'),
      '"unclosed,2026',
      'yesterday,,Push,Plank,NORMAL,,,60',
    ];
    const first = await importCsv(ana, wrong.join('\n'));
    expect(first).toMatchObject({ status: 200, body: { lines: 6, imported: 1, failed: 5, trainings: 1 } });
    expect(
      first.body.errors.map(({ line: at, column }: { line: number; column: string | null }) => [at, column]),
    ).toEqual(
      expect.arrayContaining([
        [3, 'weightKg'],
        [5, 'exercise'],
        [6, null],
        [7, 'startedAt'],
      ]),
    );
    const right = [
      HEADER,
      wrong[1],
      line('Barbell Bench Press', 'NORMAL,5,82,'),
      line('Plank', 'NORMAL,,,60'),
    ];
    const second = await importCsv(ana, right.join('\n'));
    expect(second.body).toMatchObject({ lines: 3, imported: 2, duplicates: 1, failed: 0, trainings: 0 });
    const { body } = await rest(ana, 'GET', '/trainings');
    expect(body).toHaveLength(1);
    expect(body[0]).toMatchObject({ volumeKg: 810, version: 2 });
  });

  it('adds unknown exercises as custom ones, with the modality that fits the measures of their sets', async () => {
    const ana = await register();
    const csv = [
      'Date;Workout Name;Exercise Name;Set Order;Weight;Reps;Seconds',
      '2026-03-01 18:00:00;Evening;Moon Press;1;40,5;8;0',
      '2026-03-01 18:00:00;Evening;Moon Press;2;40,5;7;0',
      '2026-03-01 18:00:00;Evening;Moon Hold;1;0;0;45',
    ];
    const { body } = await importCsv(ana, csv.join('\r\n'), '?timezone=Europe/Berlin');
    expect(body).toMatchObject({ lines: 3, imported: 3, failed: 0, trainings: 1 });
    expect(
      body.created.map(({ name, modality, custom }: Record<string, unknown>) => [name, modality, custom]),
    ).toEqual([
      ['Moon Press', 'WEIGHT_REPS', true],
      ['Moon Hold', 'DURATION', true],
    ]);
    const { body: trainings } = await rest(ana, 'GET', '/trainings');
    expect(trainings).toMatchObject([
      { title: 'Evening', startedAt: '2026-03-01T17:00:00.000Z', localDate: '2026-03-01', volumeKg: 607.5 },
    ]);
    expect((await importCsv(ana, csv.join('\r\n'), '?timezone=Europe/Berlin')).body).toMatchObject({
      imported: 0,
      duplicates: 3,
      created: [],
    });
  });

  it('refuses a file without a usable header, and accepts a file by the graph', async () => {
    const ana = await register();
    expect(await importCsv(ana, 'a,b\n1,2')).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED' },
    });
    const form = new FormData();
    form.append(
      'operations',
      JSON.stringify({
        query:
          'mutation($file: Upload!) { importTrainings(input: { file: $file }) { lines imported created { name } } }',
        variables: { file: null },
      }),
    );
    form.append('map', JSON.stringify({ 0: ['variables.file'] }));
    form.append('0', new Blob([`${HEADER}\n2026-03-01T10:00:00Z,,Push,Plank,NORMAL,,,60`]), 'a.csv');
    const answer = await fetch(`${platform().url('content')}/graphql`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${ana.token}`, 'Apollo-Require-Preflight': 'true' },
      body: form,
    });
    const { data } = (await answer.json()) as { data: { importTrainings: unknown } };
    expect(data.importTrainings).toEqual({ lines: 1, imported: 1, created: [] });
    const { data: read } = await graph(ana, '{ trainingCsv }');
    expect(read.trainingCsv).toContain('Plank');
  });
});
