import { LOCALES, type Locale } from './food.ts';

const isLocale = (language: string): language is Locale => (LOCALES as readonly string[]).includes(language);
const languageOf = (tag: string): string => tag.trim().toLowerCase().split(/[-_]/)[0] ?? '';

/** The language of the table for a language tag; English if the table has no such language. */
export function localeOf(tag: string): Locale {
  const language = languageOf(tag);
  return isLocale(language) ? language : 'en';
}

/**
 * The language that an `Accept-Language` (RFC 9110, 12.5.4) prefers among those of the table; English if it names none of
 * them.
 */
export function acceptedLocale(header: string): Locale {
  const wanted = header
    .split(',')
    .slice(0, 20)
    .map((part, position) => {
      const [tag = '', ...parameters] = part.split(';');
      const quality = parameters.map((parameter) => /^\s*q=([\d.]+)\s*$/i.exec(parameter)?.[1]).find(Boolean);
      return { language: languageOf(tag), quality: quality === undefined ? 1 : Number(quality), position };
    })
    .filter(({ quality }) => quality > 0)
    .toSorted((one, other) => other.quality - one.quality || one.position - other.position);
  return wanted.map(({ language }) => language).find(isLocale) ?? 'en';
}
