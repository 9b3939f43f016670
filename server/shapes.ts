import { z } from 'zod';

/** Shapes that several services' inputs share. */

/** `?gymId=`: a SUPER_ADMIN's choice of gym; everybody else has her own. */
export const gymQuery = z.object({
  gymId: z
    .uuid()
    .optional()
    .meta({ description: 'For a SUPER_ADMIN: which gym. Everybody else may name her own only.' }),
});

/** `/:id` */
export const idParams = z.object({ id: z.uuid() });

/** An IANA time zone that this Node knows. */
export const timezone = z
  .string()
  .refine(isTimezone, 'expected an IANA time zone such as Europe/Berlin')
  .meta({ description: 'IANA time zone, e.g. Europe/Berlin.' });

const timeOfDay = z.string().regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, 'expected a time such as 06:30');

/** When a location is open: local times by day of the week; a day that is not named is closed. */
export const openingHours = z
  .partialRecord(
    z.enum(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], 'expected mon, tue, wed, thu, fri, sat or sun'),
    z.object({ opens: timeOfDay, closes: timeOfDay }).refine(({ opens, closes }) => opens < closes, {
      path: ['closes'],
      message: 'expected a time after opens',
    }),
  )
  .meta({
    description:
      'Local times by day, `{"mon": {"opens": "06:30", "closes": "22:00"}}`; a day that is not named is closed.',
  });
export type OpeningHours = z.infer<typeof openingHours>;

/** A local day, `YYYY-MM-DD`. */
export const day = z.iso.date('expected a day such as 2026-01-31');

function isTimezone(name: string): boolean {
  try {
    Intl.DateTimeFormat('en', { timeZone: name });
    // "+01:00" is accepted by Intl, but it is an offset and no zone
    return /^[A-Za-z]/.test(name);
  } catch {
    return false;
  }
}
