import { DateTime } from 'luxon';

const FORMATS = [
  'd MMM yyyy, HH:mm', // Hevy
  'MMM d, yyyy, h:mm a', // Hevy
  'dd.MM.yyyy, HH:mm',
  'yyyy-MM-dd h:mm:ss a', // Strong
];

/** A longer text is no time: some of the expressions below, and some of Luxon, take quadratic time. */
const LONGEST_TIME = 64; // characters

/** Undefined for an unreadable time. A time without an offset, as Strong and Hevy write it, is a local time in `zone`. */
export function instantOf(text: string, zone: string): Date | undefined {
  if (text.length > LONGEST_TIME) return undefined;
  // Apple's formats have a narrow no-break space before AM and PM.
  const plain = text.replaceAll(/[\u00A0\u202F]/g, ' ');
  const attempts = /^\d{4}-\d{2}-\d{2}/.test(plain)
    ? [() => DateTime.fromISO(plain, { zone }), () => DateTime.fromSQL(plain, { zone })]
    : [];
  for (const format of FORMATS)
    attempts.push(() => DateTime.fromFormat(plain, format, { zone, locale: 'en' }));
  for (const attempt of attempts) {
    const time = attempt();
    if (time.isValid) return time.year >= 1900 && time.year <= 2999 ? time.toJSDate() : undefined;
  }
  return undefined;
}

/** Seconds of a duration such as `3900`, `1h 5m`, `45m`, `1:05:00` or `59:30`; undefined for an unreadable one. */
export function secondsOf(text: string): number | undefined {
  if (text.length > LONGEST_TIME) return undefined;
  if (/^\d{1,9}(\.0+)?$/.test(text)) return Number(text);
  const clock = /^(?:(\d{1,3}):)?(\d{1,2}):(\d{2})$/.exec(text);
  const units =
    /^(?:(\d{1,3})\s?h(?:r|ours?)?)?\s*(?:(\d{1,4})\s?m(?:in)?)?\s*(?:(\d{1,5})\s?s(?:ec)?)?$/i.exec(text);
  const [, hours, minutes, seconds] = clock ?? units ?? [];
  if (hours === undefined && minutes === undefined && seconds === undefined) return undefined;
  return Number(hours ?? 0) * 3_600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0);
}
