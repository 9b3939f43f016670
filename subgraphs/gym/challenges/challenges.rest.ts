import { pageQuery } from '#server/paging.ts';
import { GYM_STAFF, SUPER_ADMINS } from '#server/rest/callers.ts';
import { restRoute } from '#server/rest/route.ts';
import { idParams } from '#server/shapes.ts';
import { TAGS } from '../api-tags.ts';
import type { ChallengePlans } from './challenge-plans.ts';
import type { ChallengeProgress } from './challenge-progress.ts';
import type { Challenges } from './challenges.ts';
import {
  ChallengeShape,
  ChallengesQuery,
  CreateChallengeInput,
  LeaderboardEntryShape,
  ProgressInput,
  RecountShape,
  UpdateChallengeInput,
} from './challenges.shapes.ts';

const route = restRoute<{
  challenges: Challenges;
  challengePlans: ChallengePlans;
  challengeProgress: ChallengeProgress;
}>(TAGS.challenges, 'challenges');

export const challengesRest = [
  route({
    method: 'GET',
    path: '/challenges',
    operationId: 'listChallenges',
    summary: "The challenges of the caller's gym that run now, or the coming or past ones",
    auth: 'required',
    query: ChallengesQuery,
    success: {
      status: 200,
      description:
        'A page of challenges: active ones by their end, coming ones by their beginning, past ones by their end, the latest first.',
      shape: ChallengeShape,
      page: true,
    },
    errors: ['FORBIDDEN', 'GYM_REQUIRED'],
    handler: ({ query: { gymId, status, ...page } }, { challenges }) =>
      challenges.list({ gymId, status }, page),
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
    errors: ['FORBIDDEN', 'CONFLICT', 'GYM_REQUIRED'],
    handler: ({ body }, { challengePlans }) => challengePlans.create(body),
  }),
  route({
    method: 'PUT',
    path: '/challenges/:id',
    operationId: 'updateChallenge',
    summary: 'Change a challenge that has not ended; audited',
    description:
      'Absent fields are unchanged. Once the challenge has begun, its metric and its beginning are fixed. `recurrence: null` ends the recurrence.',
    only: GYM_STAFF,
    auth: 'required',
    params: idParams,
    body: UpdateChallengeInput,
    versioned: true,
    success: {
      status: 200,
      description: 'The changed challenge.',
      shape: ChallengeShape,
      variesWithinVersion: true,
    },
    errors: ['FORBIDDEN', 'CONFLICT'],
    handler: ({ params, body, expectedVersion }, { challengePlans }) =>
      challengePlans.update(params.id, body, expectedVersion),
  }),
  route({
    method: 'DELETE',
    path: '/challenges/:id',
    operationId: 'deleteChallenge',
    summary: 'Remove a challenge that has not begun, or end one that runs; audited',
    description: 'An ended challenge stays with its final leaderboard.',
    only: GYM_STAFF,
    auth: 'required',
    params: idParams,
    versioned: true,
    success: { status: 204, description: 'The challenge is removed, or has ended.' },
    errors: ['FORBIDDEN', 'CONFLICT'],
    handler: ({ params, expectedVersion }, { challengePlans }) =>
      challengePlans.remove(params.id, expectedVersion),
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
    errors: ['CONFLICT'],
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
    errors: ['CONFLICT'],
    handler: ({ params }, { challenges }) => challenges.leave(params.id),
  }),
  route({
    method: 'POST',
    path: '/challenges/:id/progress',
    operationId: 'addChallengeProgress',
    summary: "Add to the caller's score in a CUSTOM challenge, or correct that of a participant",
    description:
      'The score is at least 0 and at most the goal. Staff correct the score of `userId`; that is audited.',
    auth: 'required',
    params: idParams,
    body: ProgressInput,
    success: {
      status: 200,
      description: 'The challenge with the new score.',
      shape: ChallengeShape,
      variesWithinVersion: true,
    },
    errors: ['CONFLICT', 'CHALLENGE_COUNTS_ITSELF', 'FORBIDDEN'],
    handler: ({ params, body }, { challengeProgress }) => challengeProgress.add(params.id, body),
  }),
  route({
    method: 'POST',
    path: '/challenges/:id/recount',
    operationId: 'recountChallenge',
    summary: 'Count all scores of a WORKOUTS or MINUTES challenge again',
    description:
      'Scores follow the trainings by themselves, and are counted again every day. This does it at once, e.g. after a database was restored.',
    only: SUPER_ADMINS,
    auth: 'required',
    params: idParams,
    success: { status: 202, description: 'The scores are being counted.', shape: RecountShape },
    errors: ['FORBIDDEN', 'CONFLICT'],
    handler: ({ params }, { challengePlans }) => challengePlans.recount(params.id),
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
