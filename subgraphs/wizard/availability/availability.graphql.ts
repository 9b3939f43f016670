import type { Resolvers } from '../resolvers.generated.ts';

export const availabilityGraphql = {
  Query: {
    checkAvailability: (_root, { resumeToken, ...input }, { availability }) =>
      availability.check(input, resumeToken),
  },
  Availability: {
    reason: (answer) => answer.reason ?? null,
    reservedUntil: (answer) => answer.reservedUntil ?? null,
  },
} satisfies Resolvers;
