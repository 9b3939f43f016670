import { times, type Candidate } from './candidate.ts';

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

/** Shapes of an operation: nested users, conditions, fragments and equal fields. */
export const SHAPES: readonly Candidate[] = [
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
    name: 'users in nested lists of one element',
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
      `query H${mark}(${times(count, (i) => `$v${i}: Boolean!`)}) { ${times(count, (i) => `... @include(if: $v${i}) { ${users(10)} }`)} } ${USER}`,
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
];
