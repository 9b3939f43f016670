import type { GraphContext } from '#server/graphql/subgraph-endpoint.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { Gyms } from './gyms/gyms.ts';
import { Locations } from './locations/locations.ts';

/** The rules of this service, made for one unit of work. */
export const gymServices = (unit: UnitOfWork) => ({
  gyms: new Gyms(unit),
  locations: new Locations(unit),
});

export type GymServices = ReturnType<typeof gymServices>;
export type Context = GraphContext<GymServices>;
