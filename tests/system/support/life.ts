import { randomUUID } from 'node:crypto';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { exerciseOf } from '../../squad/support/people.ts';
import type { ProductShape } from '../../../subgraphs/content/products/products.shapes.ts';
import type { ChallengeShape } from '../../../subgraphs/gym/challenges/challenges.shapes.ts';
import type { CheckInShape } from '../../../subgraphs/gym/check-ins/check-ins.shapes.ts';
import type { LocationShape } from '../../../subgraphs/gym/locations/locations.shapes.ts';
import type { CommentShape, PostShape } from '../../../subgraphs/gym/posts/posts.shapes.ts';
import type { UserShape } from '../../../subgraphs/identity/users/users.shapes.ts';
import type { FoodShape } from '../../../subgraphs/nutrition/foods/foods.shapes.ts';
import type { GroupShape } from '../../../subgraphs/squad/groups/groups.shapes.ts';
import type { WizardSessionShape } from '../../../subgraphs/wizard/sessions/sessions.shapes.ts';
import { SquadClient } from '../../../subgraphs/squad/client/squad-client.socket.ts';
import { pictures } from '../../support/pictures.ts';
import type { Called, CallOptions, TestPlatform } from '../../support/platform.ts';

/** A user with data of every kind in every service. The texts that must not stay after a deletion contain `mark`. */
export interface Life {
  id: string;
  email: string;
  password: string;
  token: string;
  mark: string;
  /** Ids of objects that stay after a deletion, because other users or the gym need them. */
  remains: { commentedPostId: string; squadId: string; groupId: string; visitId: string };
}

/** Creates a user with data of every kind. They are a GYM_ADMIN, so that the audit trail has entries, too. */
export async function live(platform: TestPlatform, friend: { id: string; token: string }): Promise<Life> {
  const mark = `mark-${randomUUID().slice(0, 8)}`;
  const person = { email: `${mark}@example.test`, password: `pass-${randomUUID()}` };
  const { body: account } = await platform.rest<UserShape>('identity', 'POST', '/auth/register', {
    body: { ...person, displayName: `Anna ${mark}`, gymId: DEMO_GYMS.ironTemple.id },
  });
  await call(platform, 'identity', 'PUT', `/users/${account.id}/role`, {
    token: await platform.demo('super@demo.test'),
    body: { role: 'GYM_ADMIN' },
  });
  const me = {
    ...person,
    id: account.id,
    token: await platform.login(person.email, person.password),
    mark,
  };
  await inIdentity(platform, me);
  const inGym = await atTheGym(platform, me, friend);
  await inContent(platform, me);
  await inNutrition(platform, me);
  const inSquad = await withTheSquad(platform, me, friend);
  await withTheWizard(platform, me);
  return { ...me, remains: { ...inGym, ...inSquad } };
}

type Me = Omit<Life, 'remains'>;

async function inIdentity(platform: TestPlatform, { token, email, mark }: Me): Promise<void> {
  await call(platform, 'identity', 'PUT', '/profile', { token, body: { bio: `I am ${mark}` } });
  await call(platform, 'identity', 'POST', '/profile/upload', { token, body: await picture('avatar') });
  await call(platform, 'identity', 'POST', '/auth/password-reset', { body: { email } });
}

async function atTheGym(platform: TestPlatform, { token, mark }: Me, friend: { token: string }) {
  const { qrCode } = await call<UserShape>(platform, 'identity', 'GET', '/users/me', { token });
  const [location] = await call<LocationShape[]>(platform, 'gym', 'GET', '/locations', { token });
  const aquaAdmin = await platform.demo('admin@aqua.test');
  const [elsewhere] = await call<LocationShape[]>(platform, 'gym', 'GET', '/locations', { token: aquaAdmin });
  const visit = await call<CheckInShape>(platform, 'gym', 'POST', '/locations/check-in', {
    token,
    body: { qrCode, locationId: location?.id, source: 'kiosk' },
  });
  await platform.rest('gym', 'POST', '/locations/check-in', {
    token,
    body: { qrCode, locationId: elsewhere?.id },
  });
  const friendsQr = (await call<UserShape>(platform, 'identity', 'GET', '/users/me', friend)).qrCode;
  const letIn = await call<CheckInShape>(platform, 'gym', 'POST', '/locations/check-in', {
    token,
    body: { qrCode: friendsQr, locationId: location?.id },
  });
  await call(platform, 'gym', 'DELETE', `/check-ins/${letIn.id}`, { token }); // audited
  const challenge = await call<ChallengeShape>(platform, 'gym', 'POST', '/challenges', {
    token,
    body: {
      title: 'Laps',
      metric: 'CUSTOM',
      goal: 9,
      startsAt: new Date(Date.now() - 1_000).toISOString(),
      endsAt: new Date(Date.now() + 3_600_000).toISOString(),
    },
  });
  await call(platform, 'gym', 'POST', `/challenges/${challenge.id}/join`, { token });
  await call(platform, 'gym', 'POST', `/challenges/${challenge.id}/progress`, { token, body: { amount: 3 } });
  const dance = await call<{ id: string }>(platform, 'gym', 'POST', '/classes', {
    token,
    body: {
      locationId: location?.id,
      title: 'Dance',
      durationMinutes: 60,
      capacity: 5,
      recurrence: { startsAt: new Date(Date.now() + 86_400_000).toISOString().slice(0, 16), rrule: null },
    },
  });
  const [session] = await call<{ id: string }[]>(
    platform,
    'gym',
    'GET',
    `/class-sessions?classId=${dance.id}`,
    {
      token,
    },
  );
  await call(platform, 'gym', 'POST', `/class-sessions/${session?.id}/bookings`, { token });
  await call(platform, 'gym', 'GET', '/users/me/calendar', { token });
  const withPicture = await picture('image');
  withPicture.append('text', `Look, ${mark}`);
  const commented = await call<PostShape>(platform, 'gym', 'POST', '/posts', { token, body: withPicture });
  await call(platform, 'gym', 'POST', `/posts/${commented.id}/comments`, {
    ...tokenOf(friend),
    body: { text: 'Nice one' },
  });
  await call(platform, 'gym', 'POST', '/posts', {
    token,
    headers: { 'Idempotency-Key': randomUUID() },
    body: { text: `Nobody answers ${mark}` },
  });
  const friends = await call<PostShape>(platform, 'gym', 'POST', '/posts', {
    ...tokenOf(friend),
    body: { text: 'Hello' },
  });
  await call(platform, 'gym', 'POST', `/posts/${friends.id}/comments`, {
    token,
    body: { text: `So says ${mark}` },
  });
  await call(platform, 'gym', 'PUT', `/posts/${friends.id}/like`, { token });
  await call(platform, 'gym', 'POST', `/posts/${friends.id}/report`, {
    token,
    body: { reason: `${mark} minds` },
  });
  const comment = await call<CommentShape>(platform, 'gym', 'POST', `/posts/${friends.id}/comments`, {
    ...tokenOf(friend),
    body: { text: 'Me too' },
  });
  await call(platform, 'gym', 'POST', `/posts/${friends.id}/comments/${comment.id}/report`, {
    token,
    body: { reason: `${mark} minds` },
  });
  await call(platform, 'gym', 'POST', '/announcements', {
    token,
    body: { title: 'Closed', text: 'On Monday' },
  });
  await inShop(platform, token);
  return { commentedPostId: commented.id, visitId: visit.id };
}

async function inShop(platform: TestPlatform, token: string): Promise<void> {
  const [product] = await call<ProductShape[]>(platform, 'content', 'GET', '/products?limit=1', { token });
  await call(platform, 'gym', 'PUT', `/gym/${DEMO_GYMS.ironTemple.id}/products`, {
    token,
    body: { products: [{ productId: product?.id, stock: 5 }] },
  });
  await call(platform, 'gym', 'POST', '/orders', {
    token,
    body: { items: [{ productId: product?.id, quantity: 1 }] },
  });
}

async function inContent(platform: TestPlatform, { token, mark }: Me): Promise<void> {
  const exercise = await call<{ id: string }>(platform, 'content', 'POST', '/exercises', {
    token,
    body: { name: `Move of ${mark}`, custom: true, primaryMuscles: ['chest'], modality: 'WEIGHT_REPS' },
  });
  await call(platform, 'content', 'POST', '/trainings', {
    token,
    body: { title: `Training of ${mark}`, entries: [{ exerciseId: exercise.id, sets: [{ reps: 5 }] }] },
  });
  const routine = await call<{ id: string }>(platform, 'content', 'POST', '/workouts', {
    token,
    body: { title: `Plan of ${mark}`, difficulty: 'Beginner', category: 'Strength', visibility: 'PRIVATE' },
  });
  await call(platform, 'content', 'PUT', `/workouts/${routine.id}/favourite`, { token });
  await forTheGym(platform, { token, mark });
}

/** A routine that stays for the gym, with a custom exercise that stays with it. */
async function forTheGym(platform: TestPlatform, { token, mark }: Pick<Me, 'token' | 'mark'>): Promise<void> {
  const exercise = await call<{ id: string }>(platform, 'content', 'POST', '/exercises', {
    token,
    body: {
      name: 'Sandbag Walk',
      aliases: [`Walk of ${mark}`],
      description: `As ${mark} does it`,
      instructions: [`Walk like ${mark}`],
      custom: true,
      primaryMuscles: ['glutes'],
      modality: 'WEIGHT_DISTANCE',
    },
  });
  const routine = await call<{ id: string }>(platform, 'content', 'POST', '/workouts', {
    token,
    body: {
      title: 'Walks',
      difficulty: 'Beginner',
      category: 'Strength',
      visibility: 'PRIVATE',
      exercises: [{ entries: [{ exerciseId: exercise.id, sets: [{ distanceMeters: 40 }] }] }],
    },
  });
  // Staff add a routine of their own for the gym in two steps; in one step, it belongs to nobody.
  await call(platform, 'content', 'PUT', `/workouts/${routine.id}`, { token, body: { visibility: 'GYM' } });
}

async function inNutrition(platform: TestPlatform, { token, mark }: Me): Promise<void> {
  await call(platform, 'nutrition', 'POST', '/log', {
    token,
    body: { foodName: `Soup of ${mark}`, calories: 90 },
  });
  await call(platform, 'nutrition', 'PUT', '/goals', { token, body: { calories: 2000 } });
  const food = await call<FoodShape>(platform, 'nutrition', 'POST', '/foods', {
    token,
    body: { name: `Cake of ${mark}`, per100g: { calories: 300 } },
  });
  await call(platform, 'nutrition', 'PUT', `/foods/${food.id}/favourite`, { token });
  await call(platform, 'nutrition', 'POST', '/log', { token, body: { foodId: food.id, grams: 50 } });
  await call(platform, 'nutrition', 'POST', '/log/import', {
    token,
    headers: { 'Content-Type': 'text/csv' },
    body: `localDate,foodName,calories,protein,carbs,fats\n2026-01-05,Bread of ${mark},200,1,2,3`,
  });
}

async function withTheSquad(platform: TestPlatform, me: Me, friend: { id: string; token: string }) {
  const { token, mark } = me;
  const url = platform.url('squad');
  const [mine, theirs] = await Promise.all(
    [token, friend.token].map((one) => SquadClient.connect({ url, token: one })),
  );
  if (!mine || !theirs) throw new Error('no sockets');
  await mine.send('user_online', { activity: `With ${mark}` });
  const { invite } = await mine.send('send_squad_invite', {
    toUserId: friend.id,
    message: `Come to ${mark}`,
  });
  const { squadId } = invite;
  await mine.send('join_squad', { squadId });
  await theirs.send('join_squad', { squadId });
  await mine.send('update_workout', {
    squadId,
    eventId: 'e1',
    exerciseIndex: 0,
    setIndex: 0,
    exerciseId: (await exerciseOf(platform)).id,
    phase: 'WORK',
    set: { reps: 5 },
  });
  const { message } = await theirs.send('send_squad_message', { squadId, text: 'Ready' });
  await mine.send('report_squad_message', { squadId, messageId: message.id, reason: `${mark} minds` });
  await mine.send('send_squad_message', { squadId, text: `Go, says ${mark}` });
  await mine.send('end_squad', { squadId });
  const { invite: back } = await theirs.send('send_squad_invite', { toUserId: me.id, message: 'Again?' });
  await mine.send('respond_squad_invite', { inviteId: back.id, accept: false });
  const group = await call<GroupShape>(platform, 'squad', 'POST', '/groups', {
    token,
    body: { name: `Club ${randomUUID()}` },
  });
  await call(platform, 'squad', 'POST', `/groups/${group.id}/join`, tokenOf(friend));
  await call(platform, 'squad', 'POST', `/blocks/${randomUUID()}`, { token });
  await theirs.close();
  return { squadId, groupId: group.id };
}

async function withTheWizard(platform: TestPlatform, { token, mark }: Me): Promise<void> {
  const { id } = await call<WizardSessionShape>(platform, 'wizard', 'POST', '/', {
    token,
    body: { kind: 'GYM_SETUP' },
  });
  await call(platform, 'wizard', 'PUT', `/${id}`, {
    token,
    body: { step: 'basics', data: { name: `Gym ${mark}`, slug: `gym-${mark}`, timezone: 'UTC' } },
  });
  await call(
    platform,
    'wizard',
    'GET',
    `/check-availability?resource=gym-slug&value=gym-${mark}&reserve=true&sessionId=${id}`,
    { token },
  );
  const logo = await picture('file');
  logo.append('step', 'branding');
  logo.append('field', 'logo');
  await call(platform, 'wizard', 'POST', `/${id}/uploads`, { token, body: logo });
}

const tokenOf = ({ token }: { token: string }) => ({ token });

async function picture(field: string): Promise<FormData> {
  const form = new FormData();
  form.append(
    field,
    new Blob([new Uint8Array(await pictures.normal('png'))], { type: 'image/png' }),
    'p.png',
  );
  return form;
}

/** Returns the body of the answer; throws if the answer is not successful. */
async function call<Body>(
  platform: TestPlatform,
  service: Called,
  method: string,
  at: string,
  options: CallOptions,
): Promise<Body> {
  const { status, body } = await platform.rest<Body>(service, method, at, options);
  if (status >= 300) throw new Error(`${method} ${at} of ${service}: ${status} ${JSON.stringify(body)}`);
  return body;
}
