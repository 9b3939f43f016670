import { z } from 'zod';
import { SERVICES } from '#server/rest/callers.ts';
import { restRoute } from '#server/rest/route.ts';
import { TAGS } from '../api-tags.ts';
import { SERVICE_RATE } from '../rates.ts';
import type { People } from './people.ts';
import { PeopleInput, PersonShape } from './people.shapes.ts';

const route = restRoute<{ people: People }>(TAGS.users);

export const peopleRest = [
  route({
    method: 'POST',
    path: '/users/lookup',
    operationId: 'lookUpUsers',
    summary: 'Names and pictures of users by their ids',
    only: SERVICES,
    auth: 'required',
    body: PeopleInput,
    rateLimit: SERVICE_RATE,
    success: {
      status: 200,
      description: 'Those of the users who have an account, in any order.',
      shape: z.array(PersonShape),
    },
    errors: ['FORBIDDEN'],
    handler: ({ body }, { people }) => people.find(body),
  }),
];
