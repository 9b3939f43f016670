import { z } from 'zod';
import { pageQuery } from '#server/paging.ts';
import { GYM_STAFF } from '#server/rest/callers.ts';
import { restRoute } from '#server/rest/route.ts';
import { gymQuery, idParams } from '#server/shapes.ts';
import { TAGS } from '../api-tags.ts';
import type { Challenges } from './challenges.ts';
import {
  ChallengeShape,
  CreateChallengeInput,
  LeaderboardEntryShape,
  ProgressInput,
} from './challenges.shapes.ts';

const route = restRoute<{ challenges: Challenges }>(TAGS.challenges);

export const challengesRest = [
  route({
    method: 'GET',
    path: '/challenges',
    operationId: 'listChallenges',
    summary: "The active challenges of the caller's gym",
    auth: 'required',
    query: gymQuery,
    success: {
      status: 200,
      description: 'Sorted by their end.',
      shape: z.array(ChallengeShape),
    },
    errors: ['FORBIDDEN', 'GYM_REQUIRED', 'FEATURE_DISABLED'],
    handler: ({ query }, { challenges }) => challenges.active(query.gymId),
  }),
  route({
    method: 'POST',
    path: '/challenges',
    operationId: 'createChallenge',
    summary: 'Add a challenge',
    only: GYM_STAFF,
    auth: 'required',
    body: CreateChallengeInput,
    success: {
      status: 201,
      description: 'The challenge.',
      shape: ChallengeShape,
      variesWithinVersion: true,
    },
    errors: ['FORBIDDEN', 'GYM_REQUIRED'],
    handler: ({ body }, { challenges }) => challenges.create(body),
  }),
  route({
    method: 'GET',
    path: '/challenges/:id',
    operationId: 'getChallenge',
    summary: 'One challenge',
    auth: 'required',
    params: idParams,
    success: {
      status: 200,
      description: 'The challenge.',
      shape: ChallengeShape,
      variesWithinVersion: true,
    },
    handler: ({ params }, { challenges }) => challenges.get(params.id),
  }),
  route({
    method: 'POST',
    path: '/challenges/:id/join',
    operationId: 'joinChallenge',
    summary: 'Take part',
    description: 'Joining a second time changes nothing.',
    auth: 'required',
    params: idParams,
    success: {
      status: 200,
      description: 'The challenge with `joined: true`.',
      shape: ChallengeShape,
      variesWithinVersion: true,
    },
    errors: ['CONFLICT', 'FEATURE_DISABLED'],
    handler: ({ params }, { challenges }) => challenges.join(params.id),
  }),
  route({
    method: 'POST',
    path: '/challenges/:id/leave',
    operationId: 'leaveChallenge',
    summary: 'Leave a challenge',
    auth: 'required',
    params: idParams,
    success: {
      status: 200,
      description: 'The challenge with `joined: false`.',
      shape: ChallengeShape,
      variesWithinVersion: true,
    },
    handler: ({ params }, { challenges }) => challenges.leave(params.id),
  }),
  route({
    method: 'POST',
    path: '/challenges/:id/progress',
    operationId: 'addChallengeProgress',
    summary: "Add to the caller's score in a challenge that is not counted automatically",
    auth: 'required',
    params: idParams,
    body: ProgressInput,
    success: {
      status: 200,
      description: 'The challenge with the new score.',
      shape: ChallengeShape,
      variesWithinVersion: true,
    },
    errors: ['CONFLICT', 'FEATURE_DISABLED'],
    handler: ({ params, body }, { challenges }) => challenges.progress(params.id, body),
  }),
  route({
    method: 'GET',
    path: '/challenges/:id/leaderboard',
    operationId: 'listLeaderboard',
    summary: 'The leaderboard; of equal scores the earlier one ranks higher',
    auth: 'required',
    params: idParams,
    query: pageQuery,
    success: { status: 200, description: 'A page of the ranking.', shape: LeaderboardEntryShape, page: true },
    handler: ({ params, query }, { challenges }) => challenges.leaderboard(params.id, query),
  }),
];
