import { times, type Candidate } from './candidate.ts';

/** Lists and figures: many, long, or over a long time. */
export const LISTS: readonly Candidate[] = [
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
];
