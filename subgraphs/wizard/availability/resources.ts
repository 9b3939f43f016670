/** What can be taken, in the words of the interface. */
export const RESOURCES = ['gym-name', 'gym-slug', 'slot', 'email'] as const;
export type Resource = (typeof RESOURCES)[number];

/** How long a reservation holds: `&reserve=true`, and what a failed deployment keeps. */
export const RESERVATION_MILLIS = 15 * 60 * 1000; // 15 min

/** Two spellings of one name are one. */
export const canonicalName = (name: string): string => name.trim().replace(/\s+/g, ' ').toLowerCase();

export const canonicalEmail = (email: string): string => email.trim().toLowerCase();
