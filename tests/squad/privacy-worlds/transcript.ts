/** One answer or event that a viewer received in a step, without the values that differ in every run. */
export interface Entry {
  readonly step: number;
  readonly door: string;
  readonly what: string;
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
/** Fields with a cursor, with a time that is not the time of a step, or with the id of the request. */
const LEFT_OUT = new Set(['serverTime', 'expiresAt', 'endCursor', 'startCursor', 'requestId']);

/**
 * Records what one viewer receives. Ids become numbers in the order in which this viewer receives them, and a time
 * becomes the number of the step in which it lies.
 */
export class Transcript {
  readonly entries: Entry[] = [];
  private readonly names: Map<string, string>;
  private readonly startOfStep: readonly number[];

  /** @param names The names of the users whose ids are known from the beginning, by id. */
  constructor(names: ReadonlyMap<string, string>, startOfStep: readonly number[]) {
    this.names = new Map(names);
    this.startOfStep = startOfStep;
  }

  add(step: number, door: string, what: unknown): void {
    const text = JSON.stringify(what, (key, value: unknown) => (LEFT_OUT.has(key) ? undefined : value)) ?? '';
    const plain = text
      .replace(UUID, (id) => this.nameOf(id))
      .replace(TIME, (time) => `step ${this.stepAt(Date.parse(time))}`);
    this.entries.push({ step, door, what: plain });
  }

  private nameOf(id: string): string {
    const known = this.names.get(id) ?? `#${this.names.size}`;
    this.names.set(id, known);
    return known;
  }

  private stepAt(time: number): number {
    return this.startOfStep.findLastIndex((start) => start <= time);
  }
}

/** The first difference as a text for the message of a failed test; undefined if there is none. */
export function difference(one: Transcript, other: Transcript): string | undefined {
  const texts = (transcript: Transcript) =>
    transcript.entries.map(({ step, door, what }) => `step ${step}, ${door}: ${what}`);
  const [ones, others] = [texts(one), texts(other)];
  const at = ones.findIndex((text, index) => text !== others[index]);
  if (at < 0 && ones.length === others.length) return undefined;
  const from = at < 0 ? ones.length : at;
  return `with:    ${ones[from] ?? '(nothing)'}\n  without: ${others[from] ?? '(nothing)'}`;
}
