import { z } from 'zod';
import { lowerCaseId } from './ids.ts';
import { boundedCache } from './observability/bounded-cache.ts';

/** Shapes that the inputs of several services share. */

/**
 * The id of an object. It is accepted in upper case, too (RFC 9562, section 4), and becomes lower case, as it is stored and
 * compared.
 */
export const uuid = (message?: string) => z.uuid(message).toLowerCase();

/** An id, or another name of an object, such as the slug of a gym. An id becomes lower case. */
export const idOrName = () => z.string().overwrite(lowerCaseId);

/** `?gymId=`: a SUPER_ADMIN chooses a gym; every other user has their own. */
export const gymQuery = z.object({
  gymId: uuid()
    .optional()
    .meta({ description: 'A SUPER_ADMIN may name any gym; every other user may name only their own gym.' }),
});

/** A yes or no in a query string: `true` or `false`. */
export const flag = z.enum(['true', 'false'], 'expected true or false').transform((text) => text === 'true');

/** `/:id` */
export const idParams = z.object({
  id: uuid().meta({ description: 'The id of the object that the path names.' }),
});

/** An IANA time zone that this version of Node supports. */
export const timezone = z
  .string()
  .max(64, 'expected an IANA time zone such as Europe/Berlin')
  .refine(isTimezone, 'expected an IANA time zone such as Europe/Berlin')
  .meta({ description: 'IANA time zone, e.g. Europe/Berlin.' });

const FIRST_YEAR = 1900;
const LAST_YEAR = 2999;

/** Users need no day outside of this range. PostgreSQL (which has no year 0) and JavaScript can compute with all days in it. */
const isInYearRange = (year: number): boolean => year >= FIRST_YEAR && year <= LAST_YEAR;
const expectedYear = `expected a year from ${FIRST_YEAR} to ${LAST_YEAR}`;

/** A local day, `YYYY-MM-DD`, of a year from 1900 to 2999. */
export const day = z.iso
  .date({ error: 'expected a day such as 2026-01-31', abort: true })
  .refine((text) => isInYearRange(Number(text.slice(0, 4))), expectedYear)
  .meta({ description: `A local day, YYYY-MM-DD, from ${FIRST_YEAR} to ${LAST_YEAR}.` });

/** An instant, ISO 8601 with `Z` or an offset, of a year from 1900 to 2999 in UTC, in which it is stored and sent to others. */
export const instant = z.iso
  .datetime({ offset: true, error: 'expected a time such as 2026-01-31T18:00:00Z', abort: true })
  .refine((text) => isInYearRange(new Date(text).getUTCFullYear()), expectedYear)
  .meta({ description: `ISO 8601 with Z or an offset, from ${FIRST_YEAR} to ${LAST_YEAR}.` });

const MAX_SEARCH_CHARACTERS = 200;

/** The words of a text search. Its length is limited because each word is compared with every word of the table. */
export const searchText = z
  .string()
  .max(MAX_SEARCH_CHARACTERS, `expected at most ${MAX_SEARCH_CHARACTERS} characters`);

/** The search of a list, in rules for several doors; the graph sends null for no search. */
export const searchFilter = z.object({ search: searchText.nullish() });

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));
const expectedCurrency = 'expected an ISO 4217 code such as EUR';

/** A currency in use, by its ISO 4217 code in either case; it is stored in capital letters. */
export const currencyCode = z
  .string()
  .regex(/^[A-Za-z]{3}$/, expectedCurrency)
  .transform((code) => code.toUpperCase())
  .refine((code) => CURRENCIES.has(code), expectedCurrency);

/** The largest value of PostgreSQL's `integer`. */
export const MAX_INTEGER = 2_147_483_647;

/** A resource's version in a body or a query. */
export const versionNumber = z
  .int('expected a version, a whole number of at least 1')
  .min(1, 'expected a version, a whole number of at least 1')
  .max(MAX_INTEGER, 'there is no such version');

/** Characters that reorder the characters after them, so that a text looks like another text (Unicode UAX #9). */
const DIRECTION_CONTROLS = /[\u202A-\u202E\u2066-\u2069]/u;
/** A text that has only separators, controls, characters without a glyph, and the blank of the Braille patterns. */
const INVISIBLE_ONLY = /^[\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** For a text with a character that PostgreSQL cannot store. */
export const EXPECTED_STORABLE =
  'expected text without NUL characters and without unpaired UTF-16 surrogates';

/**
 * A text that users read, such as a name, a title or a post; spaces at its ends are removed. It contains no unpaired UTF-16
 * surrogate, which could not be stored, and at least one visible character, and is displayed in the stored order.
 */
export const visibleText = (maxCharacters: number, minCharacters = 1) =>
  z
    .string()
    .trim()
    .min(minCharacters, { abort: true })
    .max(maxCharacters, { abort: true })
    .refine((text) => text.isWellFormed(), {
      error: 'expected text without unpaired UTF-16 surrogates',
      abort: true,
    })
    .refine((text) => !DIRECTION_CONTROLS.test(text), {
      error: 'expected text without control characters that change the direction of writing',
      abort: true,
    })
    .refine((text) => !INVISIBLE_ONLY.test(text), 'expected some visible text');

/** Names that were checked before: a check takes 40 µs. */
const knownTimezones = boundedCache<string, true>({
  name: 'time_zones',
  maxEntries: 1_000, // there are about 600, and Intl accepts upper and lower case
  maxBytes: 256 * 1024, // 256 KiB
});

function isTimezone(name: string): boolean {
  if (knownTimezones.has(name)) return true;
  try {
    Intl.DateTimeFormat('en', { timeZone: name });
  } catch {
    return false;
  }
  // Intl also accepts "+01:00", which is an offset and not a time zone.
  if (!/^[A-Za-z]/.test(name)) return false;
  knownTimezones.set(name, true);
  return true;
}
