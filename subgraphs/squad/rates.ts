/** New clubs per minute and caller. */
export const CLUB_RATE = { name: 'clubs', perMinute: 10, by: 'caller' } as const;
/** Reports of messages per minute and caller. */
export const REPORT_RATE = { name: 'message-reports', perMinute: 30, by: 'caller' } as const;

/** The same limits for fields of the graph. */
export const graphqlRateLimits = {
  'Mutation.createGroup': CLUB_RATE,
  'Mutation.reportSquadMessage': REPORT_RATE,
};
