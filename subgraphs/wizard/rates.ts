/** Checks and reservations per minute and address. The limit slows down callers who try out which emails and names are taken. */
export const AVAILABILITY_RATE = { name: 'availability', perMinute: 20, by: 'address' } as const;
/** New sessions per minute and caller. A session without an owner is kept for a week, and needs no account. */
export const SESSION_RATE = { name: 'wizard-sessions', perMinute: 120, by: 'caller' } as const;
/** Uploaded files per minute and caller. */
export const UPLOAD_RATE = { name: 'wizard-uploads', perMinute: 30, by: 'caller' } as const;

/** The same limits for fields of the graph. */
export const graphqlRateLimits = {
  'Query.checkAvailability': AVAILABILITY_RATE,
  'Mutation.createWizardSession': SESSION_RATE,
  'Mutation.uploadWizardFile': UPLOAD_RATE,
};
