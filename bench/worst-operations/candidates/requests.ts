import { getIntrospectionQuery } from 'graphql';
import { times, type Candidate } from './candidate.ts';

const INTROSPECTION = getIntrospectionQuery({ descriptions: true });

/** Introspection, log-ins and searches, large variables, and entities at a service's own graph. */
export const REQUESTS: readonly Candidate[] = [
  {
    name: 'the usual introspection',
    most: 1,
    query: (_count, mark) => INTROSPECTION.replace('query IntrospectionQuery', `query H${mark}`),
  },
  {
    name: 'introspection three deep',
    most: 1,
    query: (_count, mark) =>
      `query H${mark} { __schema { types { fields { type { fields { type { name } } } } } } }`,
  },
  {
    name: 'log-ins',
    most: 20,
    query: (count, mark) =>
      `mutation H${mark} { ${times(count, (i) => `a${i}: login(input: { email: "nobody${i}@x.test", password: "wrong-password-${i}" }) { token }`)} }`,
  },
  {
    name: 'availability',
    most: 20,
    query: (count, mark) =>
      `query H${mark} { ${times(count, (i) => `a${i}: checkAvailability(resource: "gym-slug", value: "iron-temple-${i}") { available suggestions }`)} }`,
  },
  {
    name: 'availability of a taken value',
    most: 20,
    query: (count, mark) =>
      `query H${mark} { ${times(count, (i) => `a${i}: checkAvailability(resource: "gym-slug", value: "iron-temple") { available suggestions }`)} }`,
  },
  {
    name: 'analyses',
    most: 20,
    query: (count, mark) =>
      `mutation H${mark} { ${times(count, (i) => `a${i}: analyzeFood(input: { prompt: "${times(200, (j) => `chikken${j} brestt`).slice(0, 1_800)} ${i}" }) { confidence }`)} }`,
  },
  {
    name: 'feeds',
    most: 20,
    query: (count, mark) =>
      `query H${mark} { ${times(count, (i) => `a${i}: feed(first: 200) { nodes { id text } }`)} }`,
  },
  {
    name: 'posts with comments',
    most: 1,
    query: (_count, mark) =>
      `query H${mark} { posts(first: 40) { nodes { id author { displayName } likes(first: 20) { displayName } comments(first: 20) { nodes { text author { displayName } } } } } }`,
  },
  {
    name: 'sessions',
    most: 20,
    query: (count, mark) => `query H${mark} { ${times(count, (i) => `a${i}: sessions { id }`)} }`,
  },
  {
    name: 'long text in variables',
    most: 1,
    query: (_count, mark) => `query H${mark}($a: String) { foods(first: 1, search: $a) { nodes { id } } }`,
    variables: () => ({ a: 'a '.repeat(400_000) }),
  },
  {
    name: 'large list in variables',
    most: 1,
    query: (_count, mark) => `mutation H${mark}($i: LogMealInput!) { logMeal(input: $i) { entries { id } } }`,
    variables: () => ({
      i: { entries: Array.from({ length: 10_000 }, () => ({ foodName: 'x', calories: 1 })) },
    }),
  },
  {
    name: 'entities, 1,000',
    service: 'identity',
    most: 1,
    query: (_count, mark) =>
      `query H${mark}($r: [_Any!]!) { _entities(representations: $r) { ... on User { id displayName email avatar locale createdAt } } }`,
    variables: () => ({
      r: Array.from({ length: 1_000 }, (_, i) => ({
        __typename: 'User',
        id: `01900000-0000-7000-8000-${String(i).padStart(12, '0')}`,
      })),
    }),
  },
  {
    name: 'entities, 1,000, nutrition',
    service: 'nutrition',
    most: 1,
    query: (_count, mark) =>
      `query H${mark}($r: [_Any!]!) { _entities(representations: $r) { ... on User { id nutritionDay { date totals { calories } } } } }`,
    variables: () => ({
      r: Array.from({ length: 1_000 }, (_, i) => ({
        __typename: 'User',
        id: `01900000-0000-7000-8000-${String(i).padStart(12, '0')}`,
      })),
    }),
  },
  {
    name: 'entities, 1,000, squad',
    service: 'squad',
    most: 1,
    query: (_count, mark) =>
      `query H${mark}($r: [_Any!]!) { _entities(representations: $r) { ... on User { id presence { online } } } }`,
    variables: () => ({
      r: Array.from({ length: 1_000 }, (_, i) => ({
        __typename: 'User',
        id: `01900000-0000-7000-8000-${String(i).padStart(12, '0')}`,
      })),
    }),
  },
  {
    name: 'entities, 1,000, content',
    service: 'content',
    most: 1,
    query: (_count, mark) =>
      `query H${mark}($r: [_Any!]!) { _entities(representations: $r) { ... on WorkoutRoutine { id title exerciseList { name } } } }`,
    variables: () => ({
      r: Array.from({ length: 1_000 }, (_, i) => ({
        __typename: 'WorkoutRoutine',
        id: `01900000-0000-7000-8000-${String(i).padStart(12, '0')}`,
      })),
    }),
  },
  {
    name: 'service: equal fields with arguments',
    service: 'nutrition',
    most: 600,
    query: (count, mark) =>
      `query H${mark}($a: Int, $r: [_Any!]!) { _entities(representations: $r) { ... on User { ${times(count, () => 'foodLogs(first: $a) { __typename }')} } } }`,
    variables: () => ({ r: [] }),
  },
  {
    name: 'service: equal fields at three levels',
    service: 'gym',
    most: 36,
    query: (count, mark) =>
      `query H${mark} { ${times(count, () => `gyms { ${times(count, () => 'config { version }')} }`)} }`,
  },
];
