import { readFileSync } from 'node:fs';
import { SERVICE_NAMES } from '#server/settings.ts';
import type { SubgraphSdls } from '../../tests/support/graph-doubles/composed-graph.ts';
import type { Scenario } from '../../tests/support/graph-doubles/made-up-subgraph.ts';
import { SHOP_SDLS } from './shop.ts';

/** One operation over one supergraph. */
export interface Workload {
  readonly name: string;
  readonly sdls: SubgraphSdls;
  readonly scenario: Scenario;
  readonly query: string;
  /** The variables of the requests, which are sent in turn. */
  readonly variables: readonly Record<string, unknown>[];
}

const PLATFORM_SDLS: SubgraphSdls = Object.fromEntries(
  SERVICE_NAMES.map((name) => [
    name,
    readFileSync(new URL(`../../schema/${name}.graphql`, import.meta.url), 'utf8'),
  ]),
);

const lifelike = (seed: string, elements: number, entities: number): Scenario => ({
  seed,
  nulls: 0,
  failures: 0,
  distorts: false,
  lifelike: { elements, entities },
});

/** Each variant of a request has other variables, so that concurrent requests differ. These are the numbers of the variants. */
const VARIANTS = Array.from({ length: 48 }, (_, index) => index);

/** A member's first screen. */
const HOME = `query Home($first: Int!, $date: Date) {
  me {
    id displayName role avatar
    gym { id name slug locations { id name capacity occupancy { people percent level } } }
    nutritionDay(date: $date) { date totals { calories protein carbs fats } goal { calories protein } }
    presence { online status activity since }
  }
  workouts(first: $first) { nodes { id title difficulty targetMuscles durationMinutes } pageInfo { hasNextPage endCursor } }
}`;

/** A large page: the posts of a gym with their authors and comments, challenges and groups with their members, and routines. */
const FEED = `query Feed($first: Int!) {
  me { id displayName email gym { id name locations { id name address timezone capacity occupancy { people percent level } } } }
  posts(first: $first) {
    nodes {
      id text createdAt likeCount
      author {
        id displayName avatar bio gym { id name slug }
        presence { online status activity since }
        nutritionDay { date totals { calories protein carbs fats } }
        checkIns(first: 3) { nodes { id checkedInAt checkedOutAt location { id name address } } }
      }
      comments { nodes { id text createdAt author { id displayName avatar presence { online status } } } }
    }
  }
  challenges { id title metric goal startsAt endsAt leaderboard { nodes { score user { id displayName avatar presence { online } } } } }
  groups { id name members { id displayName avatar gym { name } presence { online status activity } } }
  workouts(first: $first) { nodes { id title description difficulty targetMuscles exercises durationMinutes } }
}`;

const SMALL_SHOP = `query Small($first: Int!, $id: ID!) {
  me { id name username }
  user(id: $id) { id name birthday }
  topProducts(first: $first) {
    upc name price inStock shippingEstimate
    reviews { id body author { id name } }
  }
}`;

const HEAVY_SHOP = `fragment User on User { id username name }
fragment Review on Review { id body }
fragment Product on Product { inStock name price shippingEstimate upc weight }
query Heavy($first: Int!) {
  users {
    ...User
    reviews {
      ...Review
      product { ...Product reviews { ...Review author { ...User reviews { ...Review product { ...Product } } } } }
    }
  }
  topProducts(first: $first) {
    ...Product
    reviews { ...Review author { ...User reviews { ...Review product { ...Product } } } }
  }
}`;

export const WORKLOADS: readonly Workload[] = [
  {
    name: 'platform small',
    sdls: PLATFORM_SDLS,
    scenario: lifelike('platform small', 8, 50),
    query: HOME,
    variables: VARIANTS.map((variant) => ({
      first: 5 + variant,
      date: `2026-03-${String(1 + (variant % 28)).padStart(2, '0')}`,
    })),
  },
  {
    name: 'platform heavy',
    sdls: PLATFORM_SDLS,
    scenario: lifelike('platform heavy', 10, 200),
    query: FEED,
    variables: VARIANTS.slice(0, 8).map((variant) => ({ first: 10 + variant })),
  },
  {
    name: 'shop small',
    sdls: SHOP_SDLS,
    scenario: lifelike('shop small', 6, 50),
    query: SMALL_SHOP,
    variables: VARIANTS.map((variant) => ({ first: 5 + variant, id: `id-${variant}` })),
  },
  {
    name: 'shop heavy',
    sdls: SHOP_SDLS,
    scenario: lifelike('shop heavy', 4, 20),
    query: HEAVY_SHOP,
    variables: VARIANTS.slice(0, 8).map((variant) => ({ first: 5 + variant })),
  },
];
