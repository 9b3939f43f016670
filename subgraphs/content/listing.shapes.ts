import type { z } from 'zod';
import { searchText, uuid } from '#server/shapes.ts';

/** Query parameters that the lists of exercises, routines and products have in common. */
export const listFilters = {
  search: searchText.optional().meta({
    description:
      'Words of names, categories, muscles, levels and so on; the best match comes first. The beginning of a word is enough; joined and split words and small typing errors are corrected. A text without a letter or digit, such as `%`, finds nothing.',
  }),
  gymId: uuid().optional().meta({ description: 'Only what this gym has added, as far as you may see it.' }),
};

/** The filters of a list. In the graph, a filter may be null. */
export type FiltersOf<Query extends z.ZodObject> = {
  [Field in Exclude<keyof z.infer<Query>, 'limit' | 'cursor'>]?: z.infer<Query>[Field] | null;
};
