import { expect, it } from '@jest/globals';
import { trainingLog, type Person } from './training-support.ts';

const { rest, register } = trainingLog();

/** Names whose lower case differs between JavaScript and PostgreSQL: a final sigma, and a capital İ. */
const NAMES = ['ΠΙΕΣΕΙΣ ΣΤΗΘΟΥΣ', 'İTME', 'ΚΑΘΙΣΜΑΤΑΣ (ΜΠΑΡΑΣ)'];
const importCsv = async (who: Person, lines: readonly string[]) => {
  const csv = ['startedAt,title,exercise,reps', ...lines].join('\n');
  const { status, body } = await rest(who, 'POST', '/trainings/import', csv, { 'content-type': 'text/csv' });
  expect(status).toBe(200);
  return body;
};

it.each(NAMES)('an import adds %s once, and later imports find it by its name', async (name) => {
  const ana = await register();
  const lines = (day: string) => [`${day}T10:00:00Z,Push,${name},5`, `${day}T10:00:00Z,Push,${name},6`];
  const first = await importCsv(ana, lines('2026-03-01'));
  expect(first).toMatchObject({ imported: 2, failed: 0, created: [{ name }] });
  for (const day of ['2026-03-02', '2026-03-03'])
    expect(await importCsv(ana, lines(day))).toMatchObject({ imported: 2, failed: 0, created: [] });
  const { body: trainings } = await rest(ana, 'GET', '/trainings');
  const used = trainings.flatMap(({ entries }: { entries: { exerciseId: string }[] }) =>
    entries.map(({ exerciseId }) => exerciseId),
  );
  expect(new Set(used)).toEqual(new Set([first.created[0].id]));
});

it('names of a file that differ only in case are one exercise', async () => {
  const ana = await register();
  const names = ['Moon Press', 'MOON PRESS', 'ΣΤΗΘΟΣ', 'στηθοσ'];
  const { created, imported } = await importCsv(
    ana,
    names.map((name) => `2026-03-01T10:00:00Z,Push,${name},5`),
  );
  expect(imported).toBe(4);
  expect(created.map(({ name }: { name: string }) => name)).toEqual(['Moon Press', 'ΣΤΗΘΟΣ']);
});

it('names and aliases of the library are found in any case, also with the equipment after the exercise', async () => {
  const ana = await register();
  const names = ['BARBELL BENCH PRESS', 'Bench Press (Barbell)', 'BENCH PRESS (BARBELL)', 'Flat Bench'];
  const { created } = await importCsv(
    ana,
    names.map((name) => `2026-03-01T10:00:00Z,Push,${name},5`),
  );
  expect(created).toEqual([]);
});

it('exercises are found by their equipment, category and name as they were written', async () => {
  const ana = await register();
  const exercise = { name: 'ΠΙΕΣΕΙΣ', equipment: 'ΠΑΓΚΟΣ', category: 'ΔΥΝΑΜΗΣ', primaryMuscles: ['Chest'] };
  const { body } = await rest(ana, 'POST', '/exercises', { ...exercise, modality: 'WEIGHT_REPS' });
  for (const filter of [
    ['equipment', 'ΠΑΓΚΟΣ'],
    ['category', 'ΔΥΝΑΜΗΣ'],
    ['search', 'ΠΙΕΣΕΙΣ'],
  ] as const) {
    const query = new URLSearchParams([[...filter]]).toString();
    const found = await rest(ana, 'GET', `/exercises?${query}`);
    expect({ query, ids: found.body.map(({ id }: { id: string }) => id) }).toEqual({ query, ids: [body.id] });
  }
});
