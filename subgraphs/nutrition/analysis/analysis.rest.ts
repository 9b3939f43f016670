import { restRoute } from '#server/rest/route.ts';
import { TAGS } from '../api-tags.ts';
import { MAX_PICTURES, type Analyses } from './analysis.ts';
import { AnalysisShape, AnalyzeShape } from './analysis.shapes.ts';

const route = restRoute<{ analyses: Analyses }>(TAGS.analysis, 'nutrition');

export const ANALYSIS_RATE = { name: 'analyze', perMinute: 30, by: 'caller' } as const;

export const analysisRest = [
  route({
    method: 'POST',
    path: '/analyze',
    operationId: 'analyzeMeal',
    summary: 'Estimate the nutrients of a meal, from words or pictures',
    description:
      'JSON `{prompt, locale?}`, or multipart with 1 to 4 pictures in `image` and an optional `prompt`. The AI provider estimates if one is configured, else the food table (words only). Nothing is logged.',
    auth: 'required',
    upload: { field: 'image', maxFiles: MAX_PICTURES, optional: true },
    body: AnalyzeShape,
    rateLimit: ANALYSIS_RATE,
    success: {
      status: 200,
      description:
        'The estimate. Food that was not recognised, and foods after the first 50, are in `unknown` and in no item.',
      shape: AnalysisShape,
    },
    errors: ['AI_NOT_CONFIGURED', 'AI_UNAVAILABLE', 'AI_TIMEOUT', 'AI_UNUSABLE_ANSWER'],
    handler: ({ body, files }, { analyses }) =>
      analyses.analyze(
        body,
        files.map((file) => file.bytes),
      ),
  }),
];
