import { createHash } from 'node:crypto';
import { DAY_MILLIS } from '#server/durations.ts';

const MINUTES_5 = 300_000;
const UUID = /\b[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}\b/g;
/** The ids of the demo data and of the library's exercises, which are the same in every installation. */
const FIXED_ID = /^01900000-(?:0000-7000-8|0e00-)/;
const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)/g;
const DATE = /\b\d{4}-\d\d-\d\d\b/g;
const JWT = /\beyJ[\w-]+\.eyJ[\w-]+\.[\w-]+/g;
const STORED_FILE = /(?<=\/(?:avatars|media|files)\/)[\w-]{16,}/g;
const SHORT_LIVED_CODE = /(?<=\bFIT1\.)[\w-]{123}/g;
const QUERY_VALUE = /(?<=[?&](?:cursor|token)=)[^&>]+/g;
/** Fields with random texts. */
const RANDOM =
  /^(token|refreshToken|access_token|secret|client_secret|qrCode|resumeToken|kid|x|y|n|cursor|next|file)$/;
/** The fixed time of the demo data and the library, in two spellings. */
const FIXED = new Set(['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00Z']);

/**
 * A function that replaces what differs from run to run: ids, times, days and random texts. Equal values stay equal, times
 * and days keep their distance to each other and the day of the week.
 * @param now the time of the recording, which becomes 10:00 UTC of a day in June 2026
 */
export function normaliser(now: Date): <Value>(value: Value) => Value {
  const seen = new Map<string, string>();
  const remembered = (kind: string, text: string, make: (index: number) => string): string => {
    const key = `${kind} ${text}`;
    const index = [...seen.keys()].filter((one) => one.startsWith(`${kind} `)).length + 1;
    if (!seen.has(key)) seen.set(key, make(index));
    return seen.get(key) ?? text;
  };
  const today = Math.floor(now.getTime() / DAY_MILLIS);
  const firstDay = Math.floor(Date.UTC(2026, 5, 15) / DAY_MILLIS); // a Monday
  const weekday = (((today - firstDay) % 7) + 7) % 7;
  const days = firstDay + weekday - today;
  const shift = (firstDay + weekday) * DAY_MILLIS + 36_000_000 - now.getTime(); // 10 h

  const timeOf = (text: string): string => {
    const millis = Date.parse(text);
    if (FIXED.has(text) || Math.abs(millis - now.getTime()) > 1_000 * DAY_MILLIS) return text;
    // A time at a whole minute was chosen, for example by a schedule, and not read from the clock: only its day changes.
    if (millis % 60_000 === 0) return new Date(millis + days * DAY_MILLIS).toISOString();
    return new Date(Math.round((millis + shift) / MINUTES_5) * MINUTES_5).toISOString();
  };
  const dateOf = (text: string): string => {
    const millis = Date.parse(text);
    if (Number.isNaN(millis) || Math.abs(millis - now.getTime()) > 1_000 * DAY_MILLIS) return text;
    return new Date(millis + days * DAY_MILLIS).toISOString().slice(0, 10);
  };
  const idOf = (id: string): string =>
    FIXED_ID.test(id)
      ? id
      : remembered('id', id, (index) => `01900000-0000-7000-9000-${String(index).padStart(12, '0')}`);
  const randomText = (text: string): string => remembered('text', text, (index) => lookalike(text, index));

  const textOf = (text: string, key: string): string => {
    if (RANDOM.test(key) && !JWT.test(text) && !text.includes(' ') && !text.includes('.'))
      return new RegExp(UUID).test(text) && text.length === 36 ? idOf(text) : randomText(text);
    const times: string[] = [];
    return text
      .replaceAll(JWT, 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJleGFtcGxlIn0.c2lnbmF0dXJl')
      .replaceAll(QUERY_VALUE, randomText)
      .replaceAll(SHORT_LIVED_CODE, randomText)
      .replaceAll(UUID, idOf)
      .replaceAll(STORED_FILE, (name) => (name.length === 36 ? name : randomText(name)))
      .replaceAll(TIME, (time) => `\0${times.push(timeOf(time)) - 1}\0`)
      .replaceAll(DATE, dateOf)
      .replaceAll(/\0(\d+)\0/g, (_all, index: string) => times[Number(index)] ?? '');
  };
  const normalised = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') return textOf(value, key);
    if (Array.isArray(value)) return value.map((item) => normalised(item, key));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, normalised(inner, name)]));
  };
  return <Value>(value: Value) => normalised(value, '') as Value;
}

/** A text of the same length that depends only on `index`; a prefix such as `GYM-` or `whsec_` stays. */
function lookalike(text: string, index: number): string {
  const prefix = /^(?:[A-Z]{2,5}-|whsec_)/.exec(text)?.[0] ?? '';
  const digits = createHash('sha512').update(`example ${index}`).digest('hex');
  return (prefix + digits).slice(0, text.length);
}
