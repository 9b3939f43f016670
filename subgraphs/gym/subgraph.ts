import { z } from 'zod';
import { defineSubgraph } from '#server/define-subgraph.ts';
import { database } from './database.ts';
import { demo } from './demo.ts';
import { gymsGraphql } from './gyms/gyms.graphql.ts';
import { gymsRest } from './gyms/gyms.rest.ts';
import { locationsGraphql } from './locations/locations.graphql.ts';
import { locationsRest } from './locations/locations.rest.ts';
import { gymServices } from './services.ts';

export const gym = defineSubgraph({
  name: 'gym',
  title: 'Gym service',
  description: 'White-labelling of gyms, their locations, check-ins and social life.',
  settings: z.object({}),
  database,
  resources: async () => ({}),
  services: gymServices,
  graphql: [gymsGraphql, locationsGraphql],
  rest: [...gymsRest, ...locationsRest],
  demo: (_services, unit) => demo(unit),
});
