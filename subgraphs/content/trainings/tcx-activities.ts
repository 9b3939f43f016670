import { DateTime } from 'luxon';
import { SaxesParser, type SaxesOptions } from 'saxes';
import { invalid } from '#server/errors.ts';
import type { Activity, ActivityPart } from './activity-lines.ts';
import { tooManyLines } from './imported-lines.ts';

const MAX_DEPTH = 64;
const MAX_ATTRIBUTES = 64;
const MAX_TEXT = 6_000; // characters of one element

/**
 * Reads the laps of the activities of a TCX file (Garmin's Training Center XML). Its tracks are skipped, so that only laps
 * are kept in memory. A document type, which can define entities, is refused.
 * @throws VALIDATION_FAILED with the line for a text that is not XML or not TCX
 */
export async function readTcx(chunks: AsyncIterable<Buffer>, maxLaps: number): Promise<Activity[]> {
  const reader = new TcxReader(maxLaps);
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  for await (const chunk of chunks) {
    decoder ??= new TextDecoder(encodingOf(chunk));
    reader.write(decoder.decode(chunk, { stream: true }));
  }
  return reader.end();
}

const encodingOf = (start: Buffer): string => {
  if (start[0] === 0xff || start[1] === 0) return 'utf-16le';
  if (start[0] === 0xfe || start[0] === 0) return 'utf-16be';
  const declared = /encoding=["']([\w-]{1,20})["']/.exec(start.toString('latin1', 0, 200))?.[1];
  return declared && /^(iso-8859-1|windows-1252|us-ascii)$/i.test(declared) ? 'windows-1252' : 'utf-8';
};

const notTcx = (line: number, problem: string) =>
  invalid('', `line ${line}: expected a TCX file (XML of the Training Center), but ${problem}`);

class TcxReader {
  private readonly parser = new SaxesParser<SaxesOptions & { xmlns: false }>({ xmlns: false });
  private readonly maxLaps: number;
  private readonly activities: Activity[] = [];
  private readonly path: string[] = [];
  private text = '';
  private attributes = 0;
  private laps = 0;
  private hasBegun = false;
  private lap: ActivityPart | undefined;

  constructor(maxLaps: number) {
    this.maxLaps = maxLaps;
    const { parser } = this;
    parser.on('error', ({ message }) => {
      throw notTcx(parser.line, message.replace(/^[\d:]+\s*/, '').slice(0, 200));
    });
    parser.on('doctype', () => {
      throw notTcx(parser.line, 'it has a document type, which may define entities');
    });
    parser.on('opentagstart', () => (this.attributes = 0));
    parser.on('attribute', () => {
      this.attributes += 1;
      if (this.attributes > MAX_ATTRIBUTES) throw notTcx(parser.line, 'an element has too many attributes');
    });
    parser.on('opentag', ({ name, attributes }) => this.open(localName(name), attributes));
    parser.on('text', (text) => {
      if (this.text.length < MAX_TEXT) this.text += text.slice(0, MAX_TEXT);
    });
    parser.on('closetag', () => this.close());
  }

  write(text: string): void {
    // Some exports have spaces before the XML declaration.
    const rest = this.hasBegun ? text : text.replace(/^[\s\uFEFF]+/, '');
    this.hasBegun ||= rest !== '';
    this.parser.write(rest);
  }

  end(): Activity[] {
    this.parser.close();
    if (this.laps === 0) throw notTcx(this.parser.line, 'it has no laps of activities');
    return this.activities;
  }

  private open(name: string, attributes: Readonly<Record<string, string>>): void {
    this.path.push(name);
    this.text = '';
    if (this.path.length > MAX_DEPTH) throw notTcx(this.parser.line, 'its elements are nested too deeply');
    if (this.path[0] !== 'TrainingCenterDatabase')
      throw notTcx(this.parser.line, `it begins with <${this.path[0]?.slice(0, 40)}>`);
    if (name === 'Activity') this.activities.push(newActivity(attributes.Sport ?? 'Other'));
    if (name === 'Lap' && this.path.at(-2) === 'Activity') {
      this.laps += 1;
      if (this.laps > this.maxLaps) throw tooManyLines(this.maxLaps);
      const startedAt = instantOf(attributes.StartTime ?? '');
      this.lap = { line: this.parser.line, startedAt, durationSeconds: 0, distanceMeters: 0 };
      this.activities.at(-1)?.parts.push(this.lap);
    }
  }

  private close(): void {
    const name = this.path.pop();
    const parent = this.path.at(-1);
    const text = this.text.trim();
    this.text = '';
    const activity = this.activities.at(-1);
    if (parent === 'Lap' && this.lap) {
      if (name === 'TotalTimeSeconds') this.lap.durationSeconds = numberOf(text);
      if (name === 'DistanceMeters') this.lap.distanceMeters = numberOf(text);
    }
    if (parent === 'Activity' && activity) {
      if (name === 'Id') activity.startedAt = instantOf(text);
      if (name === 'Notes') activity.note = text.slice(0, 5_000) || null;
    }
    if (name === 'Lap') this.lap = undefined;
  }
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

const EXERCISES: ReadonlyMap<string, Pick<Activity, 'sport' | 'exercise'>> = new Map([
  ['running', { sport: 'running', exercise: 'Outdoor Run' }],
  ['biking', { sport: 'cycling', exercise: 'Cycling' }],
]);

function newActivity(sport: string): Activity {
  const known = EXERCISES.get(sport.toLowerCase()) ?? { sport: 'other', exercise: 'Other activity' };
  return { ...known, startedAt: undefined, title: known.exercise, note: null, parts: [] };
}

const LONGEST_VALUE = 64; // characters of a number or a time

/** As XML Schema writes numbers; NaN for other texts. The expression takes quadratic time, so long texts are refused before. */
const numberOf = (text: string): number =>
  text.length <= LONGEST_VALUE && /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i.test(text) ? Number(text) : NaN;

function instantOf(text: string): Date | undefined {
  if (text.length > LONGEST_VALUE || !/^\d{4}-/.test(text)) return undefined;
  const time = DateTime.fromISO(text, { zone: 'utc' });
  // PostgreSQL has no year 0.
  return time.isValid && time.year >= 1900 && time.year <= 2999 ? time.toJSDate() : undefined;
}
