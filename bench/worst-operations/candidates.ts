import { getIntrospectionQuery } from 'graphql';
import type { ServiceName } from '#server/settings.ts';

/** A short operation that may be costly. */
export interface Candidate {
  readonly name: string;
  /** The operation, which selects something `count` times. `mark` becomes a part of its name, so that it is new to the gateway. */
  query(count: number, mark: string): string;
  /** The largest `count` that is tried. */
  readonly most: number;
  variables?(count: number): Record<string, unknown>;
  /** The service to whose own graph it is sent. Default: the gateway. */
  readonly service?: ServiceName;
}

const INTROSPECTION = getIntrospectionQuery({ descriptions: true });

const times = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');

const USER =
  'fragment U on User { displayName gym { name } presence { online } nutritionDay { date } foodLogs { nodes { id } } wizardSessions { nodes { id } } squadHistory { nodes { participants { displayName } } } }';
const PLACES_OF_USERS = [
  'onlineUsers { user',
  'groups { createdBy',
  'groups { members',
  'challenges { leaderboard(first: 1) { nodes { user',
  'squadInvites(first: 1) { nodes { from',
  'squadInvites(first: 1) { nodes { to',
  'posts(first: 1) { nodes { author',
  'posts(first: 1) { nodes { likes(first: 1)',
  'feed(first: 1) { nodes { user',
  'feed(first: 1) { nodes { participants',
];
const users = (count: number): string =>
  PLACES_OF_USERS.slice(0, count)
    .map((place) => `${place} { ...U }${' }'.repeat(place.split('{').length - 1)}`)
    .join(' ');

export const CANDIDATES: readonly Candidate[] = [
  {
    name: 'home',
    most: 1,
    query: (_count, mark) =>
      `query H${mark} { me { displayName role gym { name config { theme features } locations { name capacity occupancy { people level } } } nutritionDay { totals { calories } } presence { online } } workouts(first: 3) { nodes { title difficulty } } }`,
  },
  {
    name: 'series of ten years, aliases',
    most: 28,
    query: (count, mark) =>
      `query H${mark} { me { ${times(count, (i) => `s${i}: nutritionSeries(from: "2016-11-25", to: "2026-11-22") { __typename }`)} } }`,
  },
  {
    name: 'series of a year, aliases',
    most: 28,
    query: (count, mark) =>
      `query H${mark} { me { ${times(count, (i) => `s${i}: nutritionSeries(from: "2025-11-25", to: "2026-11-22") { __typename }`)} } }`,
  },
  {
    name: 'series of a year, all fields',
    most: 28,
    query: (count, mark) =>
      `query H${mark} { me { ${times(count, (i) => `s${i}: nutritionSeries(from: "2025-11-25", to: "2026-11-22") { start end totals { calories protein carbs fats } averages { calories protein carbs fats } goal { calories protein } loggedDays entries }`)} } }`,
  },
  {
    name: 'one series of ten years',
    most: 1,
    query: (_count, mark) =>
      `query H${mark} { me { nutritionSeries(from: "2016-11-25", to: "2026-11-22") { __typename } } }`,
  },
  {
    name: 'one series of a year',
    most: 1,
    query: (_count, mark) =>
      `query H${mark} { me { nutritionSeries(from: "2025-11-25", to: "2026-11-22") { __typename } } }`,
  },
  {
    name: 'series by month of ten years',
    most: 28,
    query: (count, mark) =>
      `query H${mark} { me { ${times(count, (i) => `s${i}: nutritionSeries(from: "2016-11-25", to: "2026-11-22", bucket: MONTH) { __typename }`)} } }`,
  },
  {
    name: 'charts of ten years',
    most: 29,
    query: (count, mark) =>
      `query H${mark} { me { ${times(count, (i) => `s${i}: nutritionChart(from: "2016-11-25", to: "2026-11-22", bucket: MONTH)`)} } }`,
  },
  {
    name: 'charts of a year by day',
    most: 29,
    query: (count, mark) =>
      `query H${mark} { me { ${times(count, (i) => `s${i}: nutritionChart(from: "2025-11-25", to: "2026-11-22", bucket: DAY)`)} } }`,
  },
  {
    name: 'CSV',
    most: 29,
    query: (count, mark) => `query H${mark} { me { ${times(count, (i) => `s${i}: foodLogCsv`)} } }`,
  },
  {
    name: 'nutrition days',
    most: 29,
    query: (count, mark) =>
      `query H${mark} { me { ${times(count, (i) => `s${i}: nutritionDay(date: "2026-11-${String((i % 28) + 1).padStart(2, '0')}") { totals { calories } goal { calories } remaining { calories } entries { id foodName calories } }`)} } }`,
  },
  {
    name: 'occupancy history',
    most: 29,
    query: (count, mark) =>
      `query H${mark} { locations { ${times(count, (i) => `s${i}: occupancyHistory(from: "2026-10-25T00:00:00Z", to: "2026-11-22T00:00:00Z") { __typename }`)} } }`,
  },
  {
    name: 'exports of the account',
    most: 20,
    query: (count, mark) => `query H${mark} { ${times(count, (i) => `s${i}: exportMyAccount`)} }`,
  },
  {
    name: 'workouts, whole pages',
    most: 20,
    query: (count, mark) =>
      `query H${mark} { ${times(count, (i) => `s${i}: workouts(first: 200) { nodes { id title description exercises } }`)} }`,
  },
  {
    name: 'exercises, whole pages',
    most: 20,
    query: (count, mark) =>
      `query H${mark} { ${times(count, (i) => `s${i}: exercises(first: 200) { nodes { id name aliases description primaryMuscles secondaryMuscles equipment level force mechanic category modality image gymId version } }`)} }`,
  },
  {
    name: 'exercises, whole pages, edges',
    most: 12,
    query: (count, mark) =>
      `query H${mark} { ${times(count, (i) => `s${i}: exercises(first: 200) { edges { cursor node { id name aliases primaryMuscles secondaryMuscles } } }`)} }`,
  },
  {
    name: 'exercises by a search with typing errors',
    most: 20,
    query: (count, mark) =>
      `query H${mark} { ${times(count, (i) => `s${i}: exercises(first: 200, search: "benhc prss dumbel squatt curll rowing pulll legg${i}") { nodes { id name } }`)} }`,
  },
  {
    name: 'exercise lists of routines',
    most: 3,
    query: (count, mark) =>
      `query H${mark} { ${times(count, (i) => `s${i}: workouts(first: 100) { nodes { exerciseList { id name aliases primaryMuscles } versions { version } } }`)} }`,
  },
  {
    name: 'foods, whole pages',
    most: 6,
    query: (count, mark) =>
      `query H${mark} { ${times(count, (i) => `s${i}: foods(first: 200) { nodes { id name category ndb per100g { calories protein } portion { amount } measures { name grams } } }`)} }`,
  },
  {
    name: 'foods by search',
    most: 20,
    query: (count, mark) =>
      `query H${mark} { ${times(count, (i) => `s${i}: foods(first: 200, search: "chikken brest ricce aple banaan ${i}") { nodes { id name } }`)} }`,
  },
  {
    name: 'facets',
    most: 10,
    query: (count, mark) =>
      `query H${mark} { ${times(count, (i) => `a${i}: muscles { name exercises } b${i}: exerciseCategories { name exercises }`)} }`,
  },
  {
    name: 'featured products',
    most: 20,
    query: (count, mark) =>
      `query H${mark} { ${times(count, (i) => `a${i}: featuredProducts { id name }`)} }`,
  },
  {
    name: 'gyms',
    most: 20,
    query: (count, mark) =>
      `query H${mark} { ${times(count, (i) => `a${i}: gyms { id name config { theme assets features } }`)} }`,
  },
  {
    name: 'design tokens',
    most: 20,
    query: (count, mark) =>
      `query H${mark} { ${times(count, (i) => `a${i}: designTokens(gymId: "iron-temple")`)} }`,
  },
  {
    name: 'users at many places',
    most: 10,
    query: (count, mark) => `query H${mark} { ${users(count)} } ${USER}`,
  },
  {
    name: 'users at five places',
    most: 5,
    query: (count, mark) => `query H${mark} { ${users(count)} } ${USER}`,
  },
  {
    name: 'users in lists of one element, seven levels',
    most: 8,
    query: (count, mark) =>
      `query H${mark} { ${times(count, (i) => `p${i}: posts(first: 1) { nodes { author { ...U } likes(first: 1) { ...U } comments(first: 1) { nodes { author { ...U } } } } }`)} } fragment U on User { displayName gym { posts(first: 1) { nodes { author { ...V } likes(first: 1) { ...V } } } } presence { online } squadHistory(first: 1) { nodes { routine { title } } } } fragment V on User { displayName presence { online } nutritionDay { date } wizardSessions(first: 1) { nodes { id } } }`,
  },
  {
    name: 'users below users',
    most: 1,
    query: (_count, mark) =>
      `query H${mark} { me { squadHistory(first: 1) { nodes { participants { ...U gym { posts(first: 1) { nodes { author { ...U } likes(first: 1) { ...U } } } } } } } } } ${USER}`,
  },
  {
    name: 'conditions inside each other',
    most: 20,
    query: (count, mark) =>
      `query H${mark}(${times(count, (i) => `$v${i}: Boolean!`)}) { me { ${times(count, (i) => `... @include(if: $v${i}) { gym { name } presence { online } nutritionDay { date } displayName`)} ${'}'.repeat(count)} } }`,
    variables: (count) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`v${i}`, true])),
  },
  {
    name: 'conditions side by side',
    most: 10,
    query: (count, mark) =>
      `query H${mark}(${times(count, (i) => `$v${i}: Boolean!`)}) { me { ${times(count, (i) => `... @include(if: $v${i}) { a${i}: presence { online } b${i}: nutritionDay { date } gym { name } c${i}: wizardSessions(first: 1) { nodes { id } } }`)} } }`,
    variables: (count) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`v${i}`, true])),
  },
  {
    name: 'conditions on users',
    most: 5,
    query: (count, mark) =>
      `query H${mark}(${times(count, (i) => `$v${i}: Boolean!`)}) { ${times(count, (i) => `... @include(if: $v${i}) { ${users(10)} }`)} } ${USER.replace(
        'gym { name }',
        times(1, () => 'gym { name }'),
      )}`,
    variables: (count) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`v${i}`, true])),
  },
  {
    name: 'fragments in a chain',
    most: 130,
    query: (count, mark) =>
      `query H${mark} { me { ...F0 } } ${times(count, (i) => `fragment F${i} on User { gym { id name } ${i < count - 1 ? `...F${i + 1}` : ''} }`)}`,
  },
  {
    name: 'equal fields at three levels',
    most: 18,
    query: (count, mark) =>
      `query H${mark} { ${times(count, () => `me { ${times(count, () => 'gym { id }')} }`)} }`,
  },
  {
    name: 'equal fields with arguments',
    most: 150,
    query: (count, mark) =>
      `query H${mark}($a: Int) { me { ${times(count, () => 'foodLogs(first: $a) { __typename }')} } }`,
  },
  {
    name: 'fields that do not exist',
    most: 1_900,
    query: (count, mark) => `query H${mark} { me { ${times(count, (i) => `displaynme${i}`)} } }`,
  },
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
    name: 'deep variables',
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
