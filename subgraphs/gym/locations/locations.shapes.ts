import { z } from 'zod';
import { openingHours, timezone, versionNumber, visibleText } from '#server/shapes.ts';

export const OccupancyShape = z
  .object({
    people: z.int().meta({ description: 'The number of members with an open visit.' }),
    capacity: z.int(),
    percent: z.int(),
    level: z.enum(['OK', 'BUSY', 'FULL']).meta({ description: 'BUSY from 80 percent.' }),
    updatedAt: z.iso.datetime().meta({ description: 'When the number of people last changed.' }),
  })
  .meta({ id: 'Occupancy' });
export type OccupancyShape = z.infer<typeof OccupancyShape>;

export const OccupancySampleShape = z
  .object({
    from: z.iso.datetime().meta({ description: 'The beginning of the hour.' }),
    peak: z.int().meta({ description: 'The most people at once in this hour.' }),
    checkIns: z.int().meta({ description: 'Check-ins in this hour.' }),
  })
  .meta({ id: 'OccupancySample' });
export type OccupancySampleShape = z.infer<typeof OccupancySampleShape>;

export const LocationShape = z
  .object({
    id: z.uuid(),
    gymId: z.uuid(),
    name: z.string(),
    address: z.string().nullable(),
    timezone: z.string(),
    capacity: z.int(),
    maxStayMinutes: z.int(),
    openingHours: openingHours.nullable().meta({ description: 'Null if they are unknown.' }),
    version: z.int(),
  })
  .meta({ id: 'Location' });
export type LocationShape = z.infer<typeof LocationShape>;

export const LocationWithOccupancyShape = LocationShape.extend({ occupancy: OccupancyShape }).meta({
  id: 'LocationWithOccupancy',
  graphType: 'Location',
});
export type LocationWithOccupancyShape = z.infer<typeof LocationWithOccupancyShape>;

const fields = {
  name: visibleText(120),
  address: z.string().trim().max(300).nullish(),
  timezone,
  capacity: z.int().min(1).max(100_000),
  maxStayMinutes: z
    .int()
    .min(1)
    .max(24 * 60),
  openingHours: openingHours.nullish(),
};

export const CreateLocationShape = z
  .object({
    id: z.uuid().nullish().meta({
      description:
        'Only for a service of the platform, which chooses the id so that a repeated request creates no second location.',
    }),
    gymId: z.uuid().nullish(),
    ...fields,
    maxStayMinutes: fields.maxStayMinutes.nullish(),
  })
  .meta({ graphType: 'CreateLocationInput' });

/** Absent fields are unchanged. Null clears `address` and `openingHours`; null in other fields is ignored, because they cannot be empty. */
export const UpdateLocationShape = z
  .object({
    name: fields.name.nullish(),
    address: fields.address.meta({ description: 'Null removes the address.' }),
    timezone: timezone.nullish(),
    capacity: fields.capacity.nullish(),
    maxStayMinutes: fields.maxStayMinutes.nullish(),
    openingHours: openingHours
      .nullish()
      .meta({ description: 'Null removes the opening hours; they are then unknown.' }),
    version: versionNumber.nullish(),
  })
  .meta({ graphType: 'UpdateLocationInput' });

/** In the graph, an occupancy links to its location. */
export type LocationOccupancy = OccupancyShape & { locationId: string };
