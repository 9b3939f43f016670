import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { SERVICE_NAMES } from '#server/settings.ts';
import { eventually } from '../support/eventually.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { connectAgent } from './support.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: SERVICE_NAMES, gateway: true });
});
afterAll(() => platform.stop());

it("a member's agent logs a meal and books a class in five calls", async () => {
  const agent = await connectAgent(platform, await platform.demo('maya@iron.test'));
  const estimate = await agent.call('analyze_meal', { meal: '200 g chicken breast with 150 g rice' });
  const chicken = estimate.analyzeFood.items[0];
  expect(chicken.known).toBe(true);
  const { name, grams, calories, protein, carbs, fats } = chicken;
  const food = { foodName: name, grams, calories, protein, carbs, fats, mealType: 'LUNCH' };
  const logged = await agent.call('log_food', food);
  expect(logged.logFood).toMatchObject({ foodName: name, calories, grams, mealType: 'LUNCH' });
  const { nodes } = (await agent.call('class_sessions')).classSessions;
  const free = nodes.find(
    ({ status, myBooking }: { status: string; myBooking: unknown }) => status === 'SCHEDULED' && !myBooking,
  );
  const { bookClassSession } = await agent.call('book_class', { sessionId: free.id });
  expect(['BOOKED', 'WAITING']).toContain(bookClassSession.status);
  const { me } = await agent.call('me');
  expect(me.bookings.nodes).toContainEqual(expect.objectContaining({ id: bookClassSession.id }));
  expect(me.nutritionDay.totals.calories).toBeGreaterThanOrEqual(calories);
  expect(agent.calls).toBe(5);
  await agent.close();
});

it("a SUPER_ADMIN's agent sets up a gym in three calls, and then finds it", async () => {
  const agent = await connectAgent(platform, await platform.demo('super@demo.test'));
  const slug = `gym-${randomUUID().slice(0, 8)}`;
  const { createWizardSession } = await agent.call('start_gym_setup');
  const { id } = createWizardSession;
  const saved = await agent.call('save_gym_setup', {
    id,
    basics: { name: `Gym ${slug}`, slug, timezone: 'Europe/Berlin' },
    branding: { theme: { colors: { primary: '#1a2b3c' } } },
    locations: { locations: [{ name: 'Main hall', capacity: 40 }] },
    features: { features: {} },
    admin: { email: `${slug}@example.test`, displayName: 'First Admin' },
  });
  expect(saved.review).toMatchObject({ status: 'READY' });
  await agent.call('deploy_gym', { id });
  const before = agent.calls;
  const deployed = await eventually(async () => {
    const { wizardSession } = await agent.call('gym_setup', { id });
    return wizardSession.status === 'DEPLOYED' && wizardSession;
  });
  expect(before).toBe(3); // the later calls wait for the end of the deployment, and read the gym
  const { gyms } = await agent.call('gyms', { name: `Gym ${slug}` });
  expect(gyms).toMatchObject([{ id: deployed.gymId, slug, timezone: 'Europe/Berlin' }]);
  await agent.close();
});
