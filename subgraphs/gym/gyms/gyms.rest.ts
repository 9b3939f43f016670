import { z } from 'zod';
import { restRoute } from '#server/rest/route.ts';
import type { Gyms } from './gyms.ts';
import { GymConfigShape, GymShape, UpdateGymConfigShape } from './gyms.shapes.ts';

const route = restRoute<{ gyms: Gyms }>();

export const gymsRest = [
  route({
    method: 'GET',
    path: '/gyms',
    summary: 'All gyms, by name',
    auth: 'optional',
    success: { status: 200, description: 'The gyms.', shape: z.array(GymShape) },
    handler: (_request, { gyms }) => gyms.list(),
  }),
  route({
    method: 'GET',
    path: '/gym/config/:gymId',
    summary: 'Branding and feature configuration of a gym',
    auth: 'optional',
    params: z.object({ gymId: z.string().meta({ description: 'Id or slug of the gym.' }) }),
    success: { status: 200, description: 'Theme, assets and features.', shape: GymConfigShape },
    handler: async ({ params }, { gyms }) => (await gyms.get(params.gymId)).config,
  }),
  route({
    method: 'PUT',
    path: '/gym/config',
    summary: 'Publish the branding and feature configuration of a gym (SUPER_ADMIN)',
    description: 'A group that is given replaces that group, one that is absent stays.',
    auth: 'required',
    body: UpdateGymConfigShape,
    versioned: true,
    success: {
      status: 200,
      description: 'The configuration as it is served from now on.',
      shape: GymConfigShape,
    },
    errors: ['FORBIDDEN', 'NOT_FOUND'],
    handler: ({ body, expectedVersion }, { gyms }) => gyms.updateConfig(body, expectedVersion),
  }),
];
