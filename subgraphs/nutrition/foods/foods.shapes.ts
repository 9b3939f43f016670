import { z } from 'zod';
import { pageQuery } from '#server/paging.ts';
import { searchText } from '#server/shapes.ts';
import { NutrientsShape } from '../nutrients.ts';

export const FoodShape = z
  .object({
    id: z.string(),
    name: z.string(),
    category: z.string(),
    ndb: z.string().meta({ description: 'Number of the food in USDA SR28, where its values are from.' }),
    per100g: NutrientsShape.meta({ description: 'What 100 g hold.' }),
    measures: z
      .array(z.object({ name: z.string(), grams: z.number() }))
      .meta({ description: 'Household measures: cup, tbsp, slice, piece, large ...' }),
    portion: z
      .object({ amount: z.number(), unit: z.string(), grams: z.number() })
      .meta({ description: 'What is assumed where nobody says how much.' }),
  })
  .meta({ id: 'Food' });
export type FoodShape = z.infer<typeof FoodShape>;

export const FoodQuery = pageQuery.extend({
  search: searchText.optional().meta({
    description: 'Words of a name; beginnings of words count, small slips are forgiven. Best match first.',
  }),
  category: z.string().max(40).optional().meta({ description: 'For example fruit, dairy.' }),
});
