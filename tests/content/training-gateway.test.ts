import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'content'], gateway: true });
});
afterAll(() => platform.stop());

it('the gateway answers with the trainings of the caller, and with nothing of other users', async () => {
  const query = `{
    me {
      trainings(first: 3) { nodes { title localDate entries { exercise { name } sets { reps weightKg } } } }
      trainingSummary { count streakWeeks volumeByMuscle { muscle volumeKg } }
      nextWorkout { title visibility durationMinutes }
    }
    exercise(id: "01900000-0e00-7000-8000-000000000000") { name }
  }`;
  const maya = { token: await platform.demo('maya@iron.test') };
  const { data, errors } = await platform.graph('gateway', query, {}, maya);
  expect(errors).toBeUndefined();
  expect(data.me.trainings.nodes).toHaveLength(3);
  expect(data.me.trainings.nodes[0]).toMatchObject({
    title: expect.any(String),
    localDate: expect.any(String),
  });
  expect(data.me.trainingSummary.count).toBeGreaterThan(9);
  // Eight weeks, and this week as soon as its first training is over.
  expect([8, 9]).toContain(data.me.trainingSummary.streakWeeks);
  // Maya trains three routines in turn, so the next one is that of the third latest training.
  const titles = data.me.trainings.nodes.map(({ title }: { title: string }) => title);
  expect(titles.toSorted()).toEqual(['Press', 'Pull', 'Squat and press']);
  expect(data.me.nextWorkout).toMatchObject({ title: titles[2], visibility: 'PRIVATE' });
  const staff = { token: await platform.demo('admin@iron.test') };
  const others = await platform.graph(
    'gateway',
    '{ users(first: 50) { nodes { email trainings(first: 1) { nodes { id } } trainingSummary { count } nextWorkout { id } } } }',
    {},
    staff,
  );
  const shown = others.data.users.nodes.find(({ email }: { email: string }) => email === 'maya@iron.test');
  expect(shown).toEqual({
    email: 'maya@iron.test',
    trainings: null,
    trainingSummary: null,
    nextWorkout: null,
  });
});
