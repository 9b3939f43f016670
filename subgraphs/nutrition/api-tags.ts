import type { ApiTag } from '#server/rest/route.ts';

/** The tags of the service's REST operations, which group them in the API reference. */
export const TAGS = {
  analysis: { name: 'Analysis', description: 'Estimates of the energy and nutrients of a meal.' },
  foodLog: { name: 'Food log', description: 'What a user ate: entries, import and export.' },
  goals: { name: 'Goals', description: 'The energy and nutrients that a user wants to eat in a day.' },
  days: { name: 'Days', description: 'Totals of the food log by day, week or month.' },
  foods: {
    name: 'Foods',
    description: "The food table, users' own foods and favourites, and foods by barcode.",
  },
} as const satisfies Readonly<Record<string, ApiTag>>;
