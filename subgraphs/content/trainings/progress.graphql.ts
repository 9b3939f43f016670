import type { Resolvers } from '../resolvers.generated.ts';

export const progressGraphql = {
  Exercise: {
    lastSets: ({ id }, _args, { progress }) => progress.last(id),
    records: ({ id }, _args, { progress }) => progress.records(id),
    progress: ({ id }, range, { progress }) => progress.series(id, range),
    progressChart: ({ id }, range, { progress }) => progress.chart(id, range),
  },
  TrainingSummary: {
    // 'me', because only its owner gets a summary.
    volumeByMuscle: (sums, _args, { summaries }) => summaries.volumeByMuscle('me', sums),
  },
  User: {
    // The gateway sends the time zone of the profile with the user, so that this service need not ask identity for it.
    trainingSummary: ({ id, timezone: zone }, { timezone, ...range }, { summaries }) =>
      summaries.sums(id, { ...range, timezone: timezone ?? zone }),
  },
} satisfies Resolvers;
