import { z } from 'zod';
import { GYM_STAFF, callers } from '#server/rest/callers.ts';
import { Reply, restRoute } from '#server/rest/route.ts';
import { gymQuery, idParams } from '#server/shapes.ts';
import { rangeQuery } from '#server/time-range.ts';
import { TAGS } from '../api-tags.ts';
import { LOCATION_SCOPES } from '../access.ts';
import type { Locations } from './locations.ts';
import {
  CreateLocationShape,
  LocationWithOccupancyShape,
  OccupancySampleShape,
  OccupancyShape,
  UpdateLocationShape,
  type LocationShape,
} from './locations.shapes.ts';

const route = restRoute<{ locations: Locations }>(TAGS.locations);

const historyQuery = z.object({
  from: rangeQuery.shape.from.meta({
    description:
      "An instant (ISO 8601), which is rounded down to the hour of the location's clock, or a local date of the location; default: 24 hours before `to`.",
  }),
  to: rangeQuery.shape.to.meta({
    description: 'An instant (ISO 8601), or a local date of the location, which is inclusive; default: now.',
  }),
});

const withOccupancy = async (location: LocationShape, locations: Locations) => ({
  ...location,
  occupancy: await locations.occupancy(location),
});

export const locationsRest = [
  route({
    method: 'GET',
    path: '/locations',
    operationId: 'listLocations',
    summary: "The locations of the caller's gym; staff also see those that are closed for good",
    scopes: LOCATION_SCOPES,
    auth: 'required',
    query: gymQuery,
    success: {
      status: 200,
      description: 'The locations by name, each with its occupancy.',
      shape: z.array(LocationWithOccupancyShape),
    },
    errors: ['FORBIDDEN', 'GYM_REQUIRED'],
    handler: async ({ query }, { locations }) =>
      Promise.all((await locations.list(query.gymId)).map((location) => withOccupancy(location, locations))),
  }),
  route({
    method: 'POST',
    path: '/locations',
    operationId: 'createLocation',
    summary: 'Add a location',
    only: callers('GYM_ADMIN of the gym, SUPER_ADMIN, services', 'GYM_ADMIN', 'SUPER_ADMIN', 'SERVICE'),
    auth: 'required',
    body: CreateLocationShape,
    success: {
      status: 201,
      description: 'The new location.',
      shape: LocationWithOccupancyShape,
      variesWithinVersion: true,
    },
    errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'GYM_REQUIRED'],
    handler: async ({ body }, { locations }) => withOccupancy(await locations.create(body), locations),
  }),
  route({
    method: 'GET',
    path: '/locations/:id',
    operationId: 'getLocation',
    summary: 'A location',
    scopes: LOCATION_SCOPES,
    auth: 'required',
    params: idParams,
    success: {
      status: 200,
      description: 'The location with its occupancy.',
      shape: LocationWithOccupancyShape,
      variesWithinVersion: true,
    },
    handler: async ({ params }, { locations }) => withOccupancy(await locations.get(params.id), locations),
  }),
  route({
    method: 'PUT',
    path: '/locations/:id',
    operationId: 'updateLocation',
    summary: 'Change a location',
    only: GYM_STAFF,
    description:
      'Absent fields are unchanged. `null` removes the address, the opening hours or their exceptions. With another time zone, the coming sessions of its classes keep their local times, and those who have booked get a mail. `CONFLICT` if the location is closed for good.',
    auth: 'required',
    params: idParams,
    body: UpdateLocationShape,
    versioned: true,
    success: {
      status: 200,
      description: 'The changed location.',
      shape: LocationWithOccupancyShape,
      variesWithinVersion: true,
    },
    errors: ['FORBIDDEN', 'VERSION_CONFLICT', 'CONFLICT'],
    handler: async ({ params, body, expectedVersion }, { locations }) =>
      withOccupancy(await locations.update(params.id, body, expectedVersion), locations),
  }),
  route({
    method: 'DELETE',
    path: '/locations/:id',
    operationId: 'closeLocation',
    summary: 'Close a location for good; audited',
    only: GYM_STAFF,
    description:
      'Its open visits end, its classes are deleted, their coming sessions are cancelled, and a check-in is 404. Its history stays. Staff still see the location, with `closedAt`.',
    auth: 'required',
    params: idParams,
    versioned: true,
    success: { status: 204, description: 'The location is closed.' },
    errors: ['FORBIDDEN', 'VERSION_CONFLICT'],
    handler: ({ params, expectedVersion }, { locations }) => locations.close(params.id, expectedVersion),
  }),
  route({
    method: 'GET',
    path: '/locations/:id/occupancy',
    operationId: 'getOccupancy',
    summary: 'The current occupancy of a location',
    scopes: LOCATION_SCOPES,
    auth: 'required',
    params: idParams,
    success: { status: 200, description: 'People inside, capacity, level.', shape: OccupancyShape },
    handler: async ({ params }, { locations }) => locations.occupancy(await locations.get(params.id)),
  }),
  route({
    method: 'GET',
    path: '/locations/:id/occupancy/history',
    operationId: 'listOccupancyHistory',
    summary: 'The occupancy of a location, hour by hour',
    scopes: LOCATION_SCOPES,
    auth: 'required',
    params: idParams,
    query: historyQuery,
    success: {
      status: 200,
      description: 'One entry an hour, oldest first; at most 31 days.',
      shape: z.array(OccupancySampleShape),
    },
    handler: ({ params, query }, { locations }) => locations.history(params.id, query),
  }),
  route({
    method: 'GET',
    path: '/locations/:id/occupancy/chart.svg',
    operationId: 'getOccupancyChart',
    summary: 'The occupancy of a location, hour by hour, as a picture',
    scopes: LOCATION_SCOPES,
    auth: 'required',
    params: idParams,
    query: historyQuery,
    success: {
      status: 200,
      description: 'Bars by hour, with the capacity as a line.',
      contentType: 'image/svg+xml',
    },
    handler: async ({ params, query }, { locations }) =>
      new Reply(200, await locations.chart(params.id, query), {
        'Content-Type': 'image/svg+xml; charset=utf-8',
        'Cache-Control': 'private, max-age=60',
      }),
  }),
];
