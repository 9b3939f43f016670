import { DAY_MILLIS } from '#server/durations.ts';
import type { Random } from '../../support/graph-doubles/random.ts';
import type { Operation } from '../history.ts';
import type { Performed } from './client.ts';
import type { Person, World } from './people.ts';

/** One thing that a member does. */
export type Action = (world: World, member: Person, random: Random) => Promise<unknown>;

let texts = 0;
/** A text that occurs once in the run. The checker counts its rows. */
export const newText = ({ mark }: World): string => `${mark} ${(texts += 1)}`;

/** Some requests have no key and are sent once, so that a repetition by the platform itself is noticed. */
const keyedOrOnce = (random: Random) => (random.chance(0.6) ? 'key' : 'once');

const idOf = ({ body }: { body: { id: string } }): string => body.id;

async function perform<Value>(
  { client }: World,
  member: Person,
  what: Omit<Performed<Value>, 'token'>,
): Promise<Operation<Value>> {
  return client.perform(member.name, { ...what, token: member.token });
}

const logFood: Action = (world, member, random) => {
  const foodName = newText(world);
  // on any day of a year, because a day can have at most 1,000 entries
  const localDate = new Date(Date.now() - random.below(365) * DAY_MILLIS).toISOString().slice(0, 10);
  const meal = { foodName, calories: 100, protein: 3, carbs: 18, fats: 2, localDate };
  const common = { kind: 'food', input: { text: foodName } };
  if (random.chance(0.3))
    return perform(world, member, {
      ...common,
      request: {
        query: 'mutation ($input: LogFoodInput!) { logFood(input: $input) { id } }',
        variables: { input: meal },
      },
      repeat: keyedOrOnce(random),
      value: ({ body }) => body.data.logFood.id as string,
    });
  return perform(world, member, {
    ...common,
    request: { method: 'POST', path: '/nutrition/log', body: meal },
    repeat: keyedOrOnce(random),
    value: idOf,
  });
};

const writePost: Action = async (world, member, random) => {
  const text = newText(world);
  const written = await perform<string>(world, member, {
    kind: 'post',
    input: { text },
    request: { method: 'POST', path: '/gym/posts', body: { text } },
    repeat: keyedOrOnce(random),
    value: idOf,
  });
  if (written.value) world.posts.push(written.value);
};

const comment: Action = async (world, member, random) => {
  const postId = world.posts.at(-1 - random.below(5));
  if (!postId) return writePost(world, member, random);
  const text = newText(world);
  const common = { kind: 'comment', input: { text, postId } };
  if (random.chance(0.3))
    return perform(world, member, {
      ...common,
      request: {
        query: 'mutation ($input: CommentPostInput!) { commentPost(input: $input) { id } }',
        variables: { input: { postId, text } },
      },
      repeat: keyedOrOnce(random),
      value: ({ body }) => body.data.commentPost.id as string,
    });
  return perform(world, member, {
    ...common,
    request: { method: 'POST', path: `/gym/posts/${postId}/comments`, body: { text } },
    repeat: keyedOrOnce(random),
    value: idOf,
  });
};

const like: Action = async (world, member, random) => {
  const postId = world.posts.at(-1 - random.below(3));
  if (!postId) return writePost(world, member, random);
  const likes = random.chance(0.6);
  return perform(world, member, {
    kind: 'like',
    input: { postId, userId: member.id, likes },
    request: { method: likes ? 'PUT' : 'DELETE', path: `/gym/posts/${postId}/like` },
    repeat: 'again',
  });
};

const progress: Action = (world, member, random) => {
  const amount = 1 + random.below(50);
  return perform(world, member, {
    kind: 'progress',
    input: { userId: member.id, amount },
    request: {
      method: 'POST',
      path: `/gym/challenges/${world.challengeId}/progress`,
      body: { amount },
    },
    repeat: keyedOrOnce(random),
  });
};

const checkIn: Action = (world, member, random) => {
  const locationId = random.pick(world.locations);
  const input = { qrCode: member.qrCode, locationId };
  const common = { kind: 'check-in', input: { userId: member.id, locationId } };
  if (random.chance(0.3))
    return perform(world, member, {
      ...common,
      request: {
        query: 'mutation ($input: CheckInInput!) { checkIn(input: $input) { id duplicate } }',
        variables: { input },
      },
      repeat: keyedOrOnce(random),
      value: ({ body }) => body.data.checkIn as { id: string; duplicate: boolean },
    });
  // Staff may scan the code, too.
  const scannedBy = random.chance(0.3) ? world.admin : member;
  return perform(world, scannedBy, {
    ...common,
    request: { method: 'POST', path: '/gym/locations/check-in', body: input },
    repeat: keyedOrOnce(random),
    value: ({ body: { id, duplicate } }) => ({ id, duplicate }),
  });
};

const checkOut: Action = (world, member, random) =>
  perform(world, member, {
    kind: 'check-out',
    input: { userId: member.id },
    request: { method: 'POST', path: '/gym/locations/check-out', body: {} },
    repeat: keyedOrOnce(random),
    value: idOf,
  });

/** Changes a profile if it still has the version that was read. Several actors do this with one account at once. */
const changeProfile: Action = async (world, member, random) => {
  const person = random.chance(0.5) ? world.shared : member;
  const read = await perform(world, person, {
    kind: 'read-profile',
    input: {},
    request: { method: 'GET', path: '/identity/users/me' },
    repeat: 'again',
    value: ({ body, etag }) => ({ version: body.version as number, etag }),
  });
  if (!read.value?.etag) return;
  const { version, etag } = read.value;
  const bio = newText(world);
  await perform(world, person, {
    kind: 'profile',
    input: { userId: person.id, bio, from: version },
    request: { method: 'PUT', path: '/identity/profile', body: { bio }, headers: { 'if-match': etag } },
    repeat: 'once',
    value: ({ body }) => body.version as number,
  });
};

const HOME = `{ me { displayName gym { name locations { name occupancy { people } } } nutritionDay { totals { calories } } presence { online } nextWorkout { title } trainingSummary(days: 7) { count minutes } }
  workouts(first: 1) { nodes { title } } }`;

const readHome: Action = (world, member) =>
  perform(world, member, { kind: 'home', input: {}, request: { query: HOME }, repeat: 'again' });

const readRest: Action = (world, member, random) =>
  perform(world, member, {
    kind: 'read',
    input: {},
    request: {
      method: 'GET',
      path: random.pick([
        '/gym/posts?limit=10',
        '/squad/online-users',
        '/content/workouts?limit=5',
        `/nutrition/history/${member.id}?limit=5`,
        `/gym/challenges/${world.challengeId}/leaderboard`,
        '/squad/feed?limit=5',
      ]),
    },
    repeat: 'again',
  });

const announce: Action = (world) => {
  const title = newText(world);
  return perform(world, world.admin, {
    kind: 'announcement',
    input: { text: title },
    request: { method: 'POST', path: '/gym/announcements', body: { title, text: 'Soon.' } },
    repeat: 'key',
    value: idOf,
  });
};

/** Each action as often as its weight. */
export const ACTIONS: readonly Action[] = (
  [
    [logFood, 5],
    [writePost, 2],
    [comment, 3],
    [like, 4],
    [progress, 4],
    [checkIn, 6],
    [checkOut, 5],
    [changeProfile, 3],
    [readHome, 4],
    [readRest, 4],
    [announce, 1],
  ] as const
).flatMap(([action, weight]) => Array.from({ length: weight }, () => action));
