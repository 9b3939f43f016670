import { NumberReader } from './numbers.ts';

/** The amount of a food, as far as the text says it. */
export interface Amount {
  /**
   * The number of pieces; undefined: the text says none. A unit of weight, volume or energy is a piece, too: "150 g" is 150
   * pieces of 1 g.
   */
  count?: number;
  /** Grams of one piece, if the text says a weight. */
  grams?: number;
  /** Whether the weight is in ounces, which for a drink are fluid ounces. */
  ounces?: boolean;
  /** Millilitres of one piece, if the text says a volume in a unit such as ml or l. */
  millilitres?: number;
  /** Kilocalories of one piece, if the text says the energy. */
  energy?: number;
  /** A household measure: cup, slice, bowl. */
  measure?: string;
  /** The size of a piece, such as small or large. */
  size?: string;
  /** Whether the count is not exact: "2 or 3", "a few". */
  vague?: boolean;
  /** Whether the number could also be a thousand times larger: "2.000". */
  doubtful?: boolean;
}

export const isEmpty = (amount: Amount): boolean => Object.keys(amount).length === 0;
/** Whether the amount is a weight, a volume or an energy. */
export const isQuantity = ({ grams, millilitres, energy }: Amount): boolean =>
  grams !== undefined || millilitres !== undefined || energy !== undefined;

type Quantity = Pick<Amount, 'grams' | 'ounces' | 'millilitres' | 'energy'>;

/** Words inside of an amount that do not change it: "a heaped tablespoon". */
const FILLERS = new Set(
  'full heaped heaping level generous good rounded more extra thick thin fresh cooked worth about nice single'.split(
    ' ',
  ),
);

/** Reads amounts: number, size and unit, in every order in which people write them. */
export class AmountReader extends NumberReader {
  /** The amount that begins at a token; `length` is its number of tokens, 0 if there is no amount. */
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
      // "2 x 150 g", "two 12 oz steaks": the second number is the weight of each
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
      // "a tall glass", "ein kleines Glas": a size may stand before the measure
      if (size !== undefined && (amount.count !== undefined || at === from) && amount.size === undefined) {
        amount.size = size;
        at += 1;
      } else if (
        unit?.measure &&
        (amount.count !== undefined || amount.size !== undefined || this.isOf(at + unit.length))
      ) {
        amount.measure = unit.measure;
        at += unit.length;
        const and = this.fractionAfter(at);
        if (and) {
          amount.count = (amount.count ?? 1) + and.value;
          at += and.length;
        }
      } else if (
        (word === 'extra' && lexicon.sizes.has(this.word(at + 1) ?? '')) ||
        (at > from &&
          (lexicon.prepositions.has(word) || word === 'a' || word === 'an' || word === 'the') &&
          !this.isFood(at))
      )
        at += 1;
      else if (!isEmpty(amount) && FILLERS.has(word)) at += 1;
      else break;
    }
    if (this.word(at - 1) === 'extra') at -= 1;
    return { amount, length: isEmpty(amount) ? 0 : at - from };
  }

  /**
   * "150 g to 200 g": reads the upper end of a range that repeats the unit, and changes the amount to the middle of the range.
   * Returns the number of tokens of the upper end; 0 if there is no such range.
   */
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

  /** "a cup and a half", "une tasse et demie": the fraction after a measure. */
  private fractionAfter(from: number): { value: number; length: number } | undefined {
    if (!this.lexicon.separators.has(this.word(from) ?? '')) return undefined;
    const fraction = this.fraction(from + 1);
    if (!fraction) return undefined;
    // "a cup and half an avocado" is two foods
    const next = this.word(from + 1 + fraction.length);
    return next === 'an' || (next === 'a' && fraction.length === 1)
      ? undefined
      : { value: fraction.value, length: fraction.length + 1 };
  }

  /**
   * After a weight or volume, skips the container, which says nothing new: "330 ml can of", "150 g portion of". Returns the index
   * of the next token.
   */
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

  /** The number of words of the food's name that begins here; 0 if there is none. */
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
    // "2 steaks", "100 g glass noodles": a word that begins the name of a food is no measure, unless the word alone is the name
    // and "of" or another food follows
    const words = this.foodLength(at);
    if (words > 1 || (words === 1 && !this.isOf(at + 1) && !this.isFood(at + 1))) return undefined;
    return { measure, length: 1 };
  }
}

const scaled = (quantity: Quantity, by: number): Quantity => ({
  ...(quantity.ounces && { ounces: true }),
  ...(quantity.grams !== undefined && { grams: quantity.grams * by }),
  ...(quantity.millilitres !== undefined && { millilitres: quantity.millilitres * by }),
  ...(quantity.energy !== undefined && { energy: quantity.energy * by }),
});
