import type { Lexicon } from './lexicons/lexicon.ts';
import type { Language, Token } from './tokens.ts';
import { WITH } from './words.ts';

/** A number in a text; `length` is its number of tokens. */
interface ReadNumber {
  value: number;
  length: number;
  /** "2 or 3", "a few". */
  vague: boolean;
  /** The number can be read as a thousand times as much: "2.000". */
  doubtful: boolean;
}

/** Reads numbers, in digits and in words. */
export class NumberReader {
  protected readonly tokens: readonly Token[];
  protected readonly language: Language;

  constructor(tokens: readonly Token[], language: Language) {
    this.tokens = tokens;
    this.language = language;
  }

  protected get lexicon(): Lexicon {
    return this.language.lexicon;
  }

  isMark(at: number, text: string): boolean {
    const token = this.tokens[at];
    return token?.kind === 'mark' && token.text === text;
  }

  word(at: number): string | undefined {
    const token = this.tokens[at];
    return token?.kind === 'word' ? token.text : undefined;
  }

  protected isOf(at: number): boolean {
    return this.lexicon.prepositions.has(this.word(at) ?? '');
  }

  /** A number with its fraction, or a range: `1 1/2`, `one and a half`, `half a`, `2-3`, `a couple of`. */
  protected number(from: number): ReadNumber | undefined {
    const first = this.plainNumber(from);
    if (!first) return undefined;
    let { value, vague, doubtful } = first;
    let at = from + first.length;
    const isRange = this.isMark(at, '~') || this.lexicon.ranges.has(this.word(at) ?? '');
    // "2 to 3"; a range that repeats the unit, "150 g to 200 g", is read with the unit
    const upper = isRange ? this.plainNumber(at + 1) : undefined;
    if (upper && !this.isArticle(at + 1) && upper.value > value && upper.value <= value * 5) {
      value = (value + upper.value) / 2;
      vague = true;
      doubtful ||= upper.doubtful;
      at += 1 + upper.length;
    }
    const and =
      this.lexicon.separators.has(this.word(at) ?? '') && !WITH.includes(this.word(at) ?? '') ? 1 : 0;
    const rest = this.fraction(at + and);
    const token = this.tokens[at];
    if (
      rest &&
      value >= 1 &&
      ((and === 1 && !this.startsOwnFood(at + 1 + rest.length)) || token?.kind === 'number')
    ) {
      value += rest.value;
      at += and + rest.length;
    }
    return { value, vague, doubtful, length: at - from };
  }

  /** Whether a fraction belongs to another food: "1 apple and half an orange", "2 and half a banana". */
  private startsOwnFood(at: number): boolean {
    const word = this.word(at);
    return word === 'an' || word === 'a';
  }

  /** A number in digits or words without a fraction or range. */
  protected plainNumber(from: number): ReadNumber | undefined {
    const token = this.tokens[from];
    if (this.isMark(from, 'x')) {
      const next = this.tokens[from + 1];
      return next?.kind === 'number' && next.value >= 0
        ? { value: next.value, length: 2, vague: false, doubtful: next.doubtful }
        : undefined;
    }
    // A negative number is no amount of anything.
    if (token?.kind === 'number' && token.value < 0) return undefined;
    if (token?.kind === 'number') {
      const part = ['thirds', 'quarters'].includes(this.word(from + 1) ?? '')
        ? this.lexicon.numbers.get(this.word(from + 1) ?? '')
        : undefined;
      return {
        value: token.value * (part ?? 1),
        length: part === undefined ? 1 : 2,
        vague: false,
        doubtful: token.doubtful,
      };
    }
    if (token?.kind !== 'word') return undefined;
    let at = from;
    let value: number | undefined;
    let vague = false;
    for (let word = this.word(at); word !== undefined; word = this.word(at)) {
      const next = this.lexicon.numbers.get(word);
      if (next === undefined) break;
      if (['few', 'several', 'einige', 'quelques', 'unos', 'unas', 'varios'].includes(word)) vague = true;
      if (value === undefined || (at - 1 === from && this.isArticle(from))) value = next; // "a couple"
      else if (this.isArticle(at) || next === 12 || next === 100 || next < 1) value *= next;
      else break;
      at += 1;
      while (this.isOf(at) && this.lexicon.numbers.has(this.word(at + 1) ?? '')) at += 1;
    }
    return value === undefined ? undefined : { value, length: at - from, vague, doubtful: false };
  }

  /** A fraction in digits or words: `1/2`, `a half`, `half`, `a quarter`. */
  protected fraction(from: number): { value: number; length: number } | undefined {
    const token = this.tokens[from];
    if (token?.kind === 'number')
      return token.fraction && token.value < 1 ? { value: token.value, length: 1 } : undefined;
    const article = this.isArticle(from) ? 1 : 0;
    const value = this.lexicon.numbers.get(this.word(from + article) ?? '');
    return value !== undefined && value < 1 ? { value, length: article + 1 } : undefined;
  }

  private isArticle(at: number): boolean {
    const word = this.word(at);
    return word !== undefined && this.lexicon.numbers.get(word) === 1 && word.length <= 5 && word !== 'one';
  }
}
