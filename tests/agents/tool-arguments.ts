import { randomUUID } from 'node:crypto';
import { demoId } from '#server/demo-ids.ts';

const now = () => new Date().toISOString();
const anHourAgo = () => new Date(Date.now() - 3_600_000).toISOString();

/**
 * Valid arguments of each tool that needs some. If a call would change a stored object, it names a random id, which
 * does not exist: so every caller can repeat the same call, and the answers differ only by the rights of the callers.
 * `gymId` is the caller's gym.
 */
export const TOOL_ARGUMENTS: Readonly<Record<string, (gymId: string) => Record<string, unknown>>> = {
  analyze_meal: () => ({ meal: 'two eggs' }),
  log_food: () => ({ foodName: 'Egg', calories: 78 }),
  delete_food_log: () => ({ id: randomUUID() }),
  set_nutrition_goal: () => ({ calories: 2_000 }),
  search_foods: () => ({ search: 'egg' }),
  check_in: () => ({ qrCode: `QR-${randomUUID()}`, locationId: randomUUID() }),
  book_class: () => ({ sessionId: randomUUID() }),
  cancel_booking: () => ({ id: randomUUID() }),
  log_training: () => ({ startedAt: anHourAgo(), endedAt: now(), entries: [] }),
  exercise_progress: () => ({ exerciseId: randomUUID() }),
  gym_shop: (gymId) => ({ gymId }),
  place_order: () => ({ items: [{ productId: randomUUID(), quantity: 1 }] }),
  join_challenge: () => ({ id: randomUUID() }),
  people_inside: () => ({ locationId: demoId('301', 1) }),
  set_membership: () => ({ userId: randomUUID(), status: 'ACTIVE' }),
  create_announcement: () => ({ title: 'Closed on Monday', text: 'We repair the floor.' }),
  update_order: () => ({ id: randomUUID(), status: 'READY' }),
  low_stock: (gymId) => ({ gymId }),
  save_gym_setup: () => ({
    id: randomUUID(),
    basics: {},
    branding: {},
    locations: {},
    features: {},
    admin: {},
  }),
  deploy_gym: () => ({ id: randomUUID() }),
  gym_setup: () => ({ id: randomUUID() }),
};
