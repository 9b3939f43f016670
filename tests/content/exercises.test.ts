import { describe, expect, test } from '@jest/globals';
import { contentService } from './support.ts';

const { rest, graph } = contentService();

describe('the exercise library', () => {
  test('has at least 150 exercises, each complete', async () => {
    const { data } = await graph(
      'anyone',
      '{ exercises(first: 200) { nodes { name primaryMuscles equipment level category modality gymId } } }',
    );
    const library = data.exercises.nodes.filter(({ gymId }: { gymId: string | null }) => gymId === null);
    expect(library.length).toBeGreaterThanOrEqual(150);
    for (const found of library) expect(found.primaryMuscles.length).toBeGreaterThan(0);
  });

  test.each([
    ['bench press', 'Barbell Bench Press'],
    ['benhc pres', 'Barbell Bench Press'],
    ['RDL', 'Romanian Deadlift'],
    ['squats', 'Barbell Back Squat'],
    ['dead', 'Barbell Deadlift'],
    ['pullups', 'Pull-Up'],
    ['press-ups', 'Push-Up'],
    ['skiping', 'Jump Rope'],
    ['deadlfit', 'Barbell Deadlift'],
  ])('a search for "%s" finds %s', async (search, name) => {
    const { body } = await rest('anyone', 'GET', `/exercises?search=${encodeURIComponent(search)}&limit=200`);
    expect(body.map((found: { name: string }) => found.name)).toContain(name);
  });

  test.each([`'; drop table exercise; --`, '(((', ':*', '&|!', 'a'.repeat(200), '%00x', '🏋️'])(
    'a search for %s is harmless',
    async (search) => {
      expect((await rest('anyone', 'GET', `/exercises?search=${encodeURIComponent(search)}`)).status).toBe(
        200,
      );
    },
  );

  test.each([
    ['bench press', 'Barbell Bench Press'],
    ['pull up', 'Pull-Up'],
    ['rdl', 'Romanian Deadlift'],
    ['Push-Up', 'Push-Up'],
  ])('whose very name or alias is "%s" comes first', async (search, name) => {
    const { body } = await rest('anyone', 'GET', `/exercises?search=${encodeURIComponent(search)}&limit=1`);
    expect(body[0].name).toBe(name);
  });

  test('filters narrow each other', async () => {
    const { body } = await rest(
      'anyone',
      'GET',
      '/exercises?muscle=Chest&equipment=BARBELL&difficulty=beginner&limit=200',
    );
    expect(body.length).toBeGreaterThan(0);
    for (const found of body) expect(found).toMatchObject({ equipment: 'barbell', level: 'Beginner' });
  });
});
