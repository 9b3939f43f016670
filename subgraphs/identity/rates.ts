/** `/auth/*`: requests per minute and caller. */
export const AUTH_RATE = { name: 'auth', perMinute: 60, by: 'caller' } as const;
/** Registrations per minute and address. */
export const REGISTRATION_RATE = { name: 'registration', perMinute: 20, by: 'address' } as const;
/** Requests for tokens of services and machine clients, per minute and address. Many services may share one address. */
export const SERVICE_TOKEN_RATE = { name: 'service-token', perMinute: 60, by: 'address' } as const;
/** Account exports per minute and caller. */
export const EXPORT_RATE = { name: 'exports', perMinute: 10, by: 'caller' } as const;
/**
 * Requests per minute of one service, which sends the requests of many users. Reading ended sessions alone takes 30 requests
 * per minute and replica.
 */
export const SERVICE_RATE = { name: 'services', perMinute: 6_000, by: 'caller' } as const;

/** The same limits for fields of the graph. */
export const graphqlRateLimits = {
  'Mutation.register': REGISTRATION_RATE,
  'Mutation.login': AUTH_RATE,
  'Mutation.refreshToken': AUTH_RATE,
  'Mutation.logout': AUTH_RATE,
  'Mutation.endSession': AUTH_RATE,
  'Mutation.requestPasswordReset': AUTH_RATE,
  'Mutation.resetPassword': AUTH_RATE,
  'Mutation.changePassword': AUTH_RATE,
  'Mutation.verifyEmail': AUTH_RATE,
  'Mutation.resendVerification': AUTH_RATE,
  'Mutation.joinGym': AUTH_RATE,
  'Mutation.rotateQrCode': AUTH_RATE,
  'Mutation.resendInvitation': AUTH_RATE,
  'Query.sessions': AUTH_RATE,
  'Mutation.rotateSigningKey': AUTH_RATE,
  'Query.exportMyAccount': EXPORT_RATE,
  'Mutation.requestAccountExport': EXPORT_RATE,
};
