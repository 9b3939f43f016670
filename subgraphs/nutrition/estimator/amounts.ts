import type { Lexicon } from './lexicons/lexicon.ts';
import type { Language, Token } from './tokens.ts';

/** How much, as far as the text says. */
export interface Amount {
  /** How many; undefined: not said. */
  count?: number;
  /** Grams of one, if a weight is said. */
  grams?: number;
  /** The weight is in ounces, which of a drink are fluid ounces. */
  ounces?: boolean;
  /** Millilitres of one, if a volume is said in ml, l, pints. */
  millilitres?: number;
  /** Kilocalories of one, if the text names the energy. */
  energy?: number;
  /** A household measure: cup, slice, bowl. */
  measure?: string;
  /** small, large ... */
  size?: string;
  /** "2 or 3", "a few": how many is a matter of taste. */
  vague?: boolean;
  /** The number can be read as a thousand times as much: "2.000". */
  doubtful?: boolean;
}

export const isEmpty = (amount: Amount): boolean => Object.keys(amount).length === 0;
export const isQuantity = ({ grams, millilitres, energy }: Amount): boolean =>
  grams !== undefined || millilitres !== undefined || energy !== undefined;

type Quantity = Pick<Amount, 'grams' | 'ounces' | 'millilitres' | 'energy'>;
interface ReadNumber {
  value: number;
  length: number;
  vague: boolean;
  doubtful: boolean;
}

const FILLERS = new Set(
  'full heaped heaping level generous good rounded more extra thick thin fresh cooked worth about nice'.split(
    ' ',
  ),
);

/** Reads amounts: number, size, unit, in the orders in which people write them. */
export class AmountReader {
  private readonly tokens: readonly Token[];
  private readonly language: Language;

  constructor(tokens: readonly Token[], language: Language) {
    this.tokens = tokens;
    this.language = language;
  }

  private get lexicon(): Lexicon {
    return this.language.lexicon;
  }

  /** `length` is 0 if there is no amount. */
  at(from: number): { amount: Amount; length: number } {
    const { lexicon } = this;
    const amount: Amount = {};
    let at = from;
    const number = this.number(at);
    if (number) {
      amount.count = number.value;
      if (number.vague) amount.vague = true;
      if (number.doubtful) amount.doubtful = true;
      at += number.length;
      if (this.isMark(at, 'x')) at += 1;
      // "2 x 150 g", "two 12 oz steaks": the second number is of what each weighs
      const each = this.number(at);
      const unit = each?.length === 1 ? this.unit(at + 1) : undefined;
      if (each && unit?.quantity) {
        Object.assign(amount, scaled(unit.quantity, each.value));
        if (each.doubtful) amount.doubtful = true;
        at += 1 + unit.length;
        return { amount, length: this.skipContainer(at) - from };
      }
    }
    for (let word = this.word(at); word !== undefined; word = this.word(at)) {
      const unit = amount.measure === undefined ? this.unit(at) : undefined;
      const size = lexicon.sizes.get(word);
      if (unit?.quantity && amount.count !== undefined && !isQuantity(amount)) {
        Object.assign(amount, unit.quantity);
        at += unit.length;
        at += this.upperEnd(amount, at);
        return { amount, length: this.skipContainer(at) - from };
      }
      // "a tall glass", "ein kleines Glas": of two meanings the one that fits the place
      if (size !== undefined && (amount.count !== undefined || at === from) && amount.size === undefined) {
        amount.size = size;
        at += 1;
      } else if (
        unit?.measure &&
        (amount.count !== undefined || amount.size !== undefined || this.isOf(at + unit.length))
      ) {
        amount.measure = unit.measure;
        at += unit.length;
        const and = this.fractionBehind(at);
        if (and) {
          amount.count = (amount.count ?? 1) + and.value;
          at += and.length;
        }
      } else if (
        (word === 'extra' && lexicon.sizes.has(this.word(at + 1) ?? '')) ||
        (at > from &&
          (lexicon.of.has(word) || word === 'a' || word === 'an' || word === 'the') &&
          !this.isFood(at))
      )
        at += 1;
      else if (!isEmpty(amount) && FILLERS.has(word)) at += 1;
      else break;
    }
    if (this.word(at - 1) === 'extra') at -= 1;
    return { amount, length: isEmpty(amount) ? 0 : at - from };
  }

  /** "150 g to 200 g": the upper end of a range, with the unit once more. */
  private upperEnd(amount: Amount, from: number): number {
    if (!this.isMark(from, '~') && !this.isMark(from, '-') && !this.lexicon.ranges.has(this.word(from) ?? ''))
      return 0;
    const upper = this.plainNumber(from + 1);
    const unit = upper ? this.unit(from + 1 + upper.length)?.quantity : undefined;
    const lower = amount.count ?? 1;
    if (
      !upper ||
      !unit ||
      unit.grams !== amount.grams ||
      unit.millilitres !== amount.millilitres ||
      upper.value <= lower
    )
      return 0;
    amount.count = (lower + upper.value) / 2;
    amount.vague = true;
    return 2 + upper.length;
  }

  /** "a cup and a half", "une tasse et demie" */
  private fractionBehind(from: number): { value: number; length: number } | undefined {
    if (!this.lexicon.separators.has(this.word(from) ?? '')) return undefined;
    const fraction = this.fraction(from + 1);
    if (!fraction) return undefined;
    // "a cup and half an avocado" is two foods
    const next = this.word(from + 1 + fraction.length);
    return next === 'an' || (next === 'a' && fraction.length === 1)
      ? undefined
      : { value: fraction.value, length: fraction.length + 1 };
  }

  /** After a weight, what it comes in says nothing new: "330 ml can of", "150 g portion of". */
  private skipContainer(from: number): number {
    let at = from;
    const measure = this.lexicon.measures.get(this.word(at) ?? '');
    const isName = ['breast', 'thigh', 'fillet', 'chop', 'steak'].includes(measure ?? '') || this.isFood(at);
    if (measure && !isName) at += 1;
    while (!this.isFood(at) && (this.isOf(at) || ['the', 'worth'].includes(this.word(at) ?? ''))) at += 1;
    return at;
  }

  private isFood(at: number): boolean {
    return this.foodLength(at) > 0;
  }

  /** The words of the food's name that begins here; 0 if there is none. */
  private foodLength(at: number): number {
    const words: string[] = [];
    for (
      let word = this.word(at);
      word !== undefined && words.length < 5;
      word = this.word(at + words.length)
    )
      words.push(word);
    return this.language.names.nameLength(words);
  }

  private isOf(at: number): boolean {
    return this.lexicon.of.has(this.word(at) ?? '');
  }

  private unit(at: number): { quantity?: Quantity; measure?: string; length: number } | undefined {
    const word = this.word(at);
    if (word === undefined) return undefined;
    const { masses, volumes, measures, energy } = this.lexicon;
    if (energy.has(word)) return { quantity: { energy: 1 }, length: 1 };
    const mass = masses.get(word);
    if (mass !== undefined)
      return { quantity: { grams: mass, ...(mass === 28.35 && { ounces: true }) }, length: 1 };
    const volume = volumes.get(word);
    if (volume !== undefined) return { quantity: { millilitres: volume }, length: 1 };
    const measure = measures.get(word);
    if (measure === undefined) return undefined;
    // "2 steaks", "100 g glass noodles": what is a food's name, or begins one, is no measure
    const words = this.foodLength(at);
    if (words > 1 || (words === 1 && !this.isOf(at + 1) && !this.isFood(at + 1))) return undefined;
    return { measure, length: 1 };
  }

  /** Digits or words: `1 1/2`, `one and a half`, `half a`, `2-3`, `a couple of`. */
  private number(from: number): ReadNumber | undefined {
    const first = this.plainNumber(from);
    if (!first) return undefined;
    let { value, vague, doubtful } = first;
    let at = from + first.length;
    const joint = this.isMark(at, '~') || this.lexicon.ranges.has(this.word(at) ?? '');
    // "150 g to 200 g" repeats the unit
    const upper = joint ? this.plainNumber(at + 1) : undefined;
    if (upper && !this.isArticle(at + 1) && upper.value > value && upper.value <= value * 5) {
      value = (value + upper.value) / 2;
      vague = true;
      doubtful ||= upper.doubtful;
      at += 1 + upper.length;
    }
    const and =
      this.lexicon.separators.has(this.word(at) ?? '') &&
      !['with', 'mit', 'avec', 'con'].includes(this.word(at) ?? '')
        ? 1
        : 0;
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

  /** "1 apple and half an orange", "2 and half a banana": the fraction is of another food. */
  private startsOwnFood(at: number): boolean {
    const word = this.word(at);
    return word === 'an' || word === 'a';
  }

  private plainNumber(from: number): ReadNumber | undefined {
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
      if (next === undefined || (word === 'single' && value === undefined && at > from)) break;
      if (['few', 'several', 'einige', 'quelques', 'unos', 'unas', 'varios'].includes(word)) vague = true;
      if (value === undefined || (at - 1 === from && this.isArticle(from))) value = next; // "a couple"
      else if (this.isArticle(at) || next === 12 || next === 100 || next < 1) value *= next;
      else break;
      at += 1;
      while (this.isOf(at) && this.lexicon.numbers.has(this.word(at + 1) ?? '')) at += 1;
    }
    return value === undefined ? undefined : { value, length: at - from, vague, doubtful: false };
  }

  /** `1/2`, `a half`, `half`, `a quarter`. */
  private fraction(from: number): { value: number; length: number } | undefined {
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

  isMark(at: number, text: string): boolean {
    const token = this.tokens[at];
    return token?.kind === 'mark' && token.text === text;
  }

  word(at: number): string | undefined {
    const token = this.tokens[at];
    return token?.kind === 'word' ? token.text : undefined;
  }
}

const scaled = (quantity: Quantity, by: number): Quantity => ({
  ...(quantity.ounces && { ounces: true }),
  ...(quantity.grams !== undefined && { grams: quantity.grams * by }),
  ...(quantity.millilitres !== undefined && { millilitres: quantity.millilitres * by }),
  ...(quantity.energy !== undefined && { energy: quantity.energy * by }),
});
