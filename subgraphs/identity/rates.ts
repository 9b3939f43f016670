/** `/auth/*`: requests a minute a caller. */
export const AUTH_RATE = { name: 'auth', perMinute: 60, by: 'caller' } as const;
/** Registrations a minute an address. */
export const REGISTRATION_RATE = { name: 'registration', perMinute: 20, by: 'address' } as const;
