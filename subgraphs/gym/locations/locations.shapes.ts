import { z } from 'zod';
import { openingExceptions, openingHours } from '#server/opening-hours.ts';
import { timezone, uuid, versionNumber, visibleText } from '#server/shapes.ts';
import { QrPolicy } from './location.entity.ts';

export const OccupancyShape = z
  .object({
    people: z.int(),
    capacity: z.int(),
    percent: z.int(),
    level: z.enum(['OK', 'BUSY', 'FULL']),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Occupancy' });
export type OccupancyShape = z.infer<typeof OccupancyShape>;

export const OccupancySampleShape = z
  .object({
    from: z.iso.datetime(),
    peak: z.int(),
    checkIns: z.int(),
  })
  .meta({ id: 'OccupancySample' });
export type OccupancySampleShape = z.infer<typeof OccupancySampleShape>;

export const LocationShape = z
  .object({
    id: uuid(),
    gymId: uuid(),
    name: z.string(),
    address: z.string().nullable(),
    timezone: z.string(),
    capacity: z.int(),
    maxStayMinutes: z.int(),
    openingHours: openingHours.nullable(),
    openingExceptions,
    qrPolicy: z.enum(QrPolicy),
    closedAt: z.iso.datetime().nullable(),
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
  openingExceptions: openingExceptions.nullish(),
  qrPolicy: z.enum(QrPolicy).nullish(),
};

export const CreateLocationShape = z
  .object({
    id: uuid().nullish().meta({
      description:
        'Only for a service of the platform, which chooses the id so that a repeated request creates no second location.',
    }),
    gymId: uuid().nullish(),
    ...fields,
    maxStayMinutes: fields.maxStayMinutes.nullish(),
  })
  .meta({ graphType: 'CreateLocationInput' });

/**
 * Absent fields are unchanged. Null clears `address`, `openingHours` and `openingExceptions`; null in other fields is
 * ignored, because they cannot be empty.
 */
export const UpdateLocationShape = z
  .object({
    name: fields.name.nullish(),
    address: fields.address,
    timezone: timezone.nullish(),
    capacity: fields.capacity.nullish(),
    maxStayMinutes: fields.maxStayMinutes.nullish(),
    openingHours: openingHours.nullish(),
    openingExceptions: fields.openingExceptions,
    qrPolicy: fields.qrPolicy,
    version: versionNumber.nullish(),
  })
  .meta({ graphType: 'UpdateLocationInput' });

/** In the graph, an occupancy links to its location. */
export type LocationOccupancy = OccupancyShape & { locationId: string };
