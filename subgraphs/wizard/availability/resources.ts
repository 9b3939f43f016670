/** The kinds of values that sessions reserve, with their names in the API. */
export const RESOURCES = ['gym-name', 'gym-slug', 'slot', 'email'] as const;
export type Resource = (typeof RESOURCES)[number];

/** The duration of a reservation: by `reserve=true`, and after a failed deployment. */
export const RESERVATION_MILLIS = 15 * 60 * 1000; // 15 min

/** Two spellings of one name are equal. */
export const canonicalName = (name: string): string => name.trim().replace(/\s+/g, ' ').toLowerCase();

export const canonicalEmail = (email: string): string => email.trim().toLowerCase();
