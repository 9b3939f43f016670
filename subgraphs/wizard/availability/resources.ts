/** The kinds of values that sessions reserve, with their names in the API. */
export const RESOURCES = ['gym-name', 'gym-slug', 'slot', 'email'] as const;
export type Resource = (typeof RESOURCES)[number];

/** How long a value is reserved by `reserve=true`, and after a failed deployment. */
export const RESERVATION_MILLIS = 15 * 60 * 1000; // 15 min

/** One text for all spellings of a name, without regard to case and spaces. */
export const canonicalName = (name: string): string => name.trim().replace(/\s+/g, ' ').toLowerCase();

export const canonicalEmail = (email: string): string => email.trim().toLowerCase();
