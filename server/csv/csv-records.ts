import type { TextLine } from './text-lines.ts';

export const DELIMITERS = { COMMA: ',', SEMICOLON: ';', TAB: '\t' } as const;
export type Delimiter = keyof typeof DELIMITERS;

/** A record with the line on which it begins, or the reason why that line is no record. */
export type CsvRecord =
  | { line: number; fields: string[]; problem?: undefined }
  | { line: number; problem: string };

/** A record whose quote is still open after this many lines or characters counts as one without a closing quote. */
const [MAX_LINES_PER_RECORD, MAX_CHARACTERS_PER_RECORD] = [100, 16_384];

/**
 * Groups the lines of a CSV file (RFC 4180) into records. A quoted field may contain line breaks. If a closing quote is
 * missing, only the line with the opening quote is an error, and reading continues with the next line. A closing quote counts
 * as missing if the record is malformed, has another number of fields than the header, or contains a line that is a complete
 * record by itself, or if the quote is still open when the record has reached one of the limits above. This class exists because
 * CSV libraries continue after the next quote instead, and so lose all lines before it.
 * @param isComplete whether a line by itself is a complete record
 */
export class CsvRecords {
  private readonly delimiter: string;
  private readonly columns: number;
  private readonly isComplete: (fields: readonly string[]) => boolean;
  /** The line with an open quote and the lines after it; empty if no quote is open. */
  private held: Extract<TextLine, { text: string }>[] = [];
  /** The fields of the held lines, so that the earlier lines are not split again. It is valid only while `held` is not empty. */
  private open: OpenFields | undefined;
  private heldCharacters = 0;

  constructor(delimiter: Delimiter, columns: number, isComplete: (fields: readonly string[]) => boolean) {
    this.delimiter = DELIMITERS[delimiter];
    this.columns = columns;
    this.isComplete = isComplete;
  }

  /** Adds a line; returns the records that it completes. */
  push(line: TextLine): CsvRecord[] {
    if (line.problem !== undefined) return [...this.end(), { line: line.number, problem: line.problem }];
    if (this.held.length === 0) return this.begin(line);
    this.held.push(line);
    this.heldCharacters += line.text.length;
    return this.tryToComplete();
  }

  /** The remaining records at the end of the file. */
  end(): CsvRecord[] {
    const records: CsvRecord[] = [];
    while (this.held.length > 0) records.push(...this.giveUp());
    return records;
  }

  private begin(line: Extract<TextLine, { text: string }>): CsvRecord[] {
    if (line.text.trim() === '') return [];
    const split = splitFields(line.text, this.delimiter);
    if (split.kind === 'fields') return [{ line: line.number, fields: split.fields }];
    if (split.kind === 'malformed') return [{ line: line.number, problem: split.problem }];
    this.held = [line];
    this.open = split.open;
    this.heldCharacters = line.text.length;
    return [];
  }

  /** Tries to complete the record with the latest line. */
  private tryToComplete(): CsvRecord[] {
    const [first] = this.held;
    const [before, last] = this.held.slice(-2);
    if (!first || !before || !last) return [];
    const separately = splitFields(last.text, this.delimiter);
    if (separately.kind === 'fields' && this.isComplete(separately.fields)) return this.giveUp();
    const split = splitFields(before.end + last.text, this.delimiter, this.open);
    if (split.kind === 'open') {
      this.open = split.open;
      const mayContinue =
        this.held.length < MAX_LINES_PER_RECORD && this.heldCharacters < MAX_CHARACTERS_PER_RECORD;
      return mayContinue ? [] : this.giveUp();
    }
    if (split.kind === 'malformed' || split.fields.length !== this.columns) return this.giveUp();
    this.held = [];
    return [{ line: first.number, fields: split.fields }];
  }

  /** Makes the line with the open quote an error, and reads the lines after it again. */
  private giveUp(): CsvRecord[] {
    const [first, ...rest] = this.held;
    this.held = [];
    if (!first) return [];
    return [
      {
        line: first.number,
        problem: 'a quote is opened and not closed; write a quote inside of a text twice ("")',
      },
      ...rest.flatMap((line) => this.push(line)),
    ];
  }
}

/** The fields before an open quote, and the text after it. */
interface OpenFields {
  fields: string[];
  text: string;
}

type SplitLine =
  | { kind: 'fields'; fields: string[] }
  | { kind: 'open'; open: OpenFields }
  | { kind: 'malformed'; problem: string };

/**
 * The fields of a line. A quote that does not begin a field is an ordinary character, as in `6" sub`.
 * @param open the open quote of the earlier lines, if this line continues them; its list of fields is changed
 */
export function splitFields(text: string, delimiter: string, open?: OpenFields): SplitLine {
  const fields = open?.fields ?? [];
  let at = 0;
  let isOpen = open !== undefined;
  for (;;) {
    if (isOpen || text[at] === '"') {
      let field = isOpen ? (open?.text ?? '') : '';
      let from = isOpen ? 0 : at + 1;
      isOpen = false;
      for (;;) {
        const quote = text.indexOf('"', from);
        if (quote < 0) return { kind: 'open', open: { fields, text: field + text.slice(from) } };
        field += text.slice(from, quote);
        if (text[quote + 1] !== '"') {
          at = quote + 1;
          break;
        }
        field += '"';
        from = quote + 2;
      }
      fields.push(field);
      // Spaces after the closing quote are ignored.
      while (text[at] === ' ') at += 1;
      if (at < text.length && text[at] !== delimiter)
        return {
          kind: 'malformed',
          problem: 'there is text after a closing quote; write a quote inside of a text twice ("")',
        };
    } else {
      const next = text.indexOf(delimiter, at);
      fields.push(text.slice(at, next < 0 ? text.length : next));
      at = next < 0 ? text.length : next;
    }
    if (at >= text.length) return { kind: 'fields', fields };
    at += 1; // the delimiter
    if (at === text.length) {
      fields.push('');
      return { kind: 'fields', fields };
    }
  }
}
