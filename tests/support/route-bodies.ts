import { randomUUID } from 'node:crypto';
import { DEMO_GYMS, demoId, demoPerson } from '#server/demo-ids.ts';
import type { RestRoute } from '#server/rest/route.ts';
import { pictures } from './pictures.ts';

const gymId = DEMO_GYMS.ironTemple.id;
const soon = { startsAt: '2027-01-01T00:00:00Z', endsAt: '2027-02-01T00:00:00Z' };

/**
 * Valid bodies for the routes that only some callers may use, so that a request is refused because of its caller and not
 * because of its body.
 */
const BODIES: Readonly<Record<string, () => object>> = {
  'PUT /users/:id/role': () => ({ role: 'MEMBER' }),
  'PUT /users/:id/gym': () => ({ gymId }),
  'PUT /users/:id/membership': () => ({ status: 'ACTIVE' }),
  'PUT /users/:id/suspension': () => ({ suspended: false }),
  'PUT /gyms/:gymId': () => ({ name: 'Iron Temple' }),
  'POST /memberships/ended': () => ({ userId: randomUUID(), gymId, before: null }),
  'POST /users/lookup': () => ({ ids: [] }),
  'POST /invitations': () => ({ email: `${randomUUID()}@x.test`, displayName: 'Invited', gymId }),
  'POST /api-clients': () => ({ name: 'Turnstile', scopes: ['check-in'], gymId }),
  'POST /gyms': () => ({ name: 'A gym', slug: `gym-${randomUUID().slice(0, 8)}` }),
  'PUT /gym/config': () => ({ gymId, assets: {} }),
  'PUT /gym/config/:gymId/draft': () => ({ assets: {} }),
  'POST /gym/config/:gymId/rollback': () => ({ version: 1 }),
  'POST /webhooks': () => ({ url: 'https://example.com/', types: ['challenge.ended'], gymId }),
  'PUT /webhooks/:id': () => ({ description: 'CRM' }),
  'POST /webhooks/:id/replay': () => ({ from: '2026-11-01T00:00:00Z', to: '2026-11-02T00:00:00Z' }),
  'POST /member-mails': () => ({ userId: demoPerson('maya@iron.test').id, subject: 'News', text: 'x' }),
  'POST /staff-mails': () => ({ gymId, subject: 'News', text: 'x' }),
  'POST /locations': () => ({ gymId, name: 'Hall', timezone: 'UTC', capacity: 1 }),
  'PUT /locations/:id': () => ({ capacity: 1 }),
  'POST /challenges': () => ({ gymId, title: 'C', metric: 'CUSTOM', goal: 1, ...soon }),
  'PUT /challenges/:id': () => ({ goal: 2 }),
  'POST /challenges/:id/progress': () => ({ amount: 1 }),
  'POST /posts/:id/comments': () => ({ text: 'x' }),
  'POST /posts/:id/report': () => ({ reason: 'x' }),
  'POST /classes': () => ({
    locationId: demoId('301', 1),
    title: 'Yoga',
    durationMinutes: 60,
    capacity: 5,
    recurrence: { startsAt: '2037-01-05T18:00', rrule: null },
  }),
  'PUT /classes/:id': () => ({ title: 'Yoga' }),
  'PUT /class-sessions/:id': () => ({ instructor: 'Ada' }),
  'PUT /bookings/:id': () => ({ status: 'ATTENDED' }),
  'POST /first-visits': () => ({
    id: randomUUID(),
    locationId: demoId('301', 1),
    startsAt: soon.startsAt,
    userId: demoPerson('maya@iron.test').id,
  }),
  'POST /posts/:id/comments/:commentId/report': () => ({ reason: 'x' }),
  'PUT /announcements/:id': () => ({ title: 'News' }),
  'POST /announcements': () => ({ gymId, title: 'News', text: 'x' }),
  'PUT /gym/:gymId/products': () => ({ products: [] }),
  'POST /gym/:gymId/products/:productId/stock': () => ({ delta: 1, reason: 'x' }),
  'POST /orders': () => ({ gymId, items: [{ productId: randomUUID(), quantity: 1 }] }),
  'PUT /orders/:id': () => ({ status: 'READY' }),
  'PUT /gym/:gymId/programs': () => ({ programs: [] }),
  'POST /exercises': () => ({ name: 'Sled', primaryMuscles: ['Quadriceps'], modality: 'WEIGHT_DISTANCE' }),
  'POST /workouts': () => ({ title: 'R', difficulty: 'Beginner', category: 'Strength', exercises: [] }),
  'POST /products': () => ({
    name: 'Bands',
    kind: 'MERCHANDISE',
    price: 1,
    currency: 'EUR',
    sku: randomUUID(),
  }),
  'PUT /squads/:squadId/trainings/:userId': () => ({
    startedAt: '2026-11-01T00:00:00Z',
    endedAt: '2026-11-01T01:00:00Z',
    sets: [],
  }),
  'POST /squads/:id/kick': () => ({ userId: randomUUID() }),
  'POST /squads/:id/host': () => ({ userId: randomUUID() }),
  'POST /:sessionId/deployment/resolve': () => ({ action: 'ACCEPT', note: 'x' }),
};

/** A valid body of the route; undefined for a route whose body is not listed. */
export const bodyFor = (route: RestRoute<never>): object | undefined =>
  BODIES[`${route.method} ${route.path}`]?.() ?? formFor(route) ?? fileFor(route);

/** An empty file, for a route that accepts a stream. */
const fileFor = ({ consumes }: RestRoute<never>): Blob | undefined =>
  consumes && new Blob([], { type: consumes[0] ?? '' });

/** A form with a picture, for a route that accepts an upload. */
function formFor({ upload }: RestRoute<never>): FormData | undefined {
  if (!upload) return undefined;
  const form = new FormData();
  form.append(upload.field, new Blob([new Uint8Array(pictures.bomb(1, 1))], { type: 'image/png' }), 'a.png');
  return form;
}
