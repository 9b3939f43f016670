/** `/auth/*`: requests a minute a caller. */
export const AUTH_RATE = { name: 'auth', perMinute: 60, by: 'caller' } as const;
/** Registrations a minute an address. */
export const REGISTRATION_RATE = { name: 'registration', perMinute: 20, by: 'address' } as const;
/** Apart from people's: many services may stand behind one address. */
export const SERVICE_TOKEN_RATE = { name: 'service-token', perMinute: 60, by: 'address' } as const;
/** Exports of an account a minute. */
export const EXPORT_RATE = { name: 'exports', perMinute: 10, by: 'caller' } as const;
/** What services ask in the name of many. Looks at ended sessions alone are 30 a minute a replica. */
export const FEED_RATE = { name: 'services', perMinute: 6_000, by: 'caller' } as const;

/** The same for the graph. */
export const graphqlRateLimits = {
  'Mutation.register': REGISTRATION_RATE,
  'Mutation.login': AUTH_RATE,
  'Mutation.refreshToken': AUTH_RATE,
  'Mutation.logout': AUTH_RATE,
  'Mutation.endSession': AUTH_RATE,
  'Mutation.requestPasswordReset': AUTH_RATE,
  'Mutation.resetPassword': AUTH_RATE,
  'Mutation.changePassword': AUTH_RATE,
  'Mutation.rotateQrCode': AUTH_RATE,
  'Mutation.resendInvitation': AUTH_RATE,
  'Query.sessions': AUTH_RATE,
  'Mutation.rotateSigningKey': AUTH_RATE,
  'Query.exportMyAccount': EXPORT_RATE,
  'Mutation.requestAccountExport': EXPORT_RATE,
};
