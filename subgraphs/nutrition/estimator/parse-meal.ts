import type { Food } from '../foods/food.ts';
import { amountAt, isEmpty, isIgnored, wordAt, type Amount } from './amounts.ts';
import { foodAt, singular } from './food-names.ts';
import { tokensOf, type Token } from './tokens.ts';
import { MEASURE_WORDS, NEGATIONS, OTHER_DISHES, SEPARATORS } from './words.ts';

/** One food that a text mentions, or something that it mentions and the table does not know. */
export interface Mention {
  /** Undefined: not known. */
  food: Food | undefined;
  /** As it is written. */
  words: string;
  amount: Amount;
  /** Words beside the name that were not understood. */
  leftOut: string[];
  corrected: boolean;
  /** What it is eaten with: the foods of the same clause before it. */
  companions: readonly Food[];
}

/** What a meal text says was eaten, in its order. */
export function parseMeal(text: string): Mention[] {
  return new MealParser(tokensOf(text)).parse();
}

const FLAVOURS = new Set([
  'milk',
  'sugar',
  'butter',
  'cream',
  'mayo',
  'mayonnaise',
  'salt',
  'oil',
  'sauce',
  'dressing',
  'cheese',
  'honey',
  'syrup',
  'ketchup',
  'sweetener',
  'ice',
  'bacon',
  'onion',
  'onions',
]);

const BREADS = new Set(['bread_white', 'bread_ww', 'bread_french', 'toast_white', 'toast_ww']);

/** Reads from left to right, keeping what was said of the next food until it comes. */
class MealParser {
  private readonly tokens: readonly Token[];
  private readonly mentions: Mention[] = [];
  private at = 0;
  private amount: Amount = {};
  private unknown: string[] = [];
  /** Whether the last mention and the next word belong together: nothing separates them. */
  private adjacent = false;
  /** Since the last comma or line. */
  private clause: Food[] = [];

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens;
  }

  parse(): Mention[] {
    while (this.at < this.tokens.length) this.step();
    this.endPhrase();
    return this.mentions;
  }

  private step(): void {
    const token = this.tokens[this.at];
    if (token?.kind === 'mark') return this.mark(token.text);
    if (token?.kind === 'number') return this.quantity();
    const word = token?.text ?? '';
    if (this.otherDish() || this.named()) return;
    if (NEGATIONS.has(word)) return this.negation();
    if (SEPARATORS.has(word)) {
      this.endPhrase();
      this.at += 1;
      return;
    }
    if (word === 'sandwich' || word === 'sandwiches' || word === 'toastie') return this.sandwich();
    const { length } = amountAt(this.tokens, this.at);
    if (length > 0) return this.quantity();
    if (!isIgnored(word) && !(MEASURE_WORDS[singular(word)] && this.adjacent)) this.notKnown(word);
    this.at += 1;
  }

  private mark(text: string): void {
    const next = amountAt(this.tokens, this.at + 1);
    const last = this.mentions.at(-1);
    // "rice (200 g)", "rice: 200 g", "eggs x2": the amount of what stands before
    if (
      (text === '(' || text === ':' || text === '-' || text === 'x') &&
      last &&
      this.unknown.length === 0 &&
      next.length > 0 &&
      this.endsPhraseAt(this.at + 1 + next.length) &&
      (isEmpty(last.amount) || next.amount.grams !== undefined)
    ) {
      // "2 slices (60 g)": the weight is of all of them
      last.amount =
        next.amount.grams !== undefined || next.amount.millilitres !== undefined
          ? next.amount
          : { ...last.amount, ...next.amount };
      this.at += 1 + next.length;
      return;
    }
    if (text === 'x' && next.length > 0 && last && this.adjacent && isEmpty(last.amount)) {
      last.amount = next.amount;
      this.at += 1 + next.length;
      return;
    }
    if (text === ':' && this.at + 1 < this.tokens.length) {
      // "smoothie: a banana, 200 ml milk": a title of what follows
      if (this.adjacent && last && isEmpty(last.amount)) this.mentions.pop();
      this.unknown = [];
    }
    if (text !== '~' && text !== 'x') this.endPhrase();
    if (text === '\n' || text === ',') this.clause = this.clause.slice(-1);
    if (text === '\n') this.clause = [];
    this.at += 1;
  }

  private quantity(): void {
    const { amount, length } = amountAt(this.tokens, this.at);
    const last = this.mentions.at(-1);
    const behind =
      this.adjacent &&
      last &&
      this.unknown.length === 0 &&
      isEmpty(last.amount) &&
      amount.count !== undefined;
    if (
      behind &&
      (this.endsPhraseAt(this.at + length) || amount.grams !== undefined || amount.millilitres !== undefined)
    ) {
      last.amount = amount;
      this.adjacent = false;
    } else if (length > 0) {
      if (!isEmpty(this.amount) || this.adjacent) this.endPhrase();
      this.amount = amount;
    }
    this.at += Math.max(1, length);
  }

  /** A known food begins here. */
  private named(): boolean {
    const found = foodAt(this.wordsFrom(this.at));
    if (!found) return false;
    // "a half" or "a side" is an amount before it is a slip of anything
    if (
      found.corrected &&
      (amountAt(this.tokens, this.at).length > 0 ||
        isIgnored(wordAt(this.tokens, this.at) ?? '') ||
        SEPARATORS.has(wordAt(this.tokens, this.at) ?? '') ||
        NEGATIONS.has(wordAt(this.tokens, this.at) ?? ''))
    )
      return false;
    const words = this.wordsFrom(this.at).slice(0, found.length).join(' ');
    this.at += found.length;
    const last = this.mentions.at(-1);
    if (
      this.adjacent &&
      last?.food &&
      (found.food.id === 'omelette' || found.food.id.startsWith('egg_')) &&
      last.food.id.startsWith('egg_')
    ) {
      // "a three egg omelette"
      last.amount = found.food.id === 'omelette' ? { ...last.amount, measure: 'egg' } : last.amount;
      last.food = found.food;
      return true;
    }
    if (last?.words === 'sandwich' && BREADS.has(found.food.id) && isEmpty(this.amount)) {
      // "a turkey sandwich on whole wheat bread"
      last.food = found.food;
      return true;
    }
    if (isEmpty(this.amount) || this.amount.measure === undefined) this.measureBehind();
    this.mentions.push({
      food: found.food,
      words,
      amount: this.amount,
      leftOut: this.unknown,
      corrected: found.corrected,
      companions: this.clause,
    });
    this.clause = [...this.clause, found.food];
    this.amount = {};
    this.unknown = [];
    this.adjacent = true;
    return true;
  }

  /** "two cod fillets", "bacon rashers": a measure right behind the name. */
  private measureBehind(): void {
    const measure = MEASURE_WORDS[singular(wordAt(this.tokens, this.at) ?? '')];
    if (
      !measure ||
      measure === 'portion' ||
      this.amount.grams !== undefined ||
      this.amount.millilitres !== undefined ||
      foodAt(this.wordsFrom(this.at))
    )
      return;
    this.amount = { ...this.amount, measure };
    this.at += 1;
  }

  private otherDish(): boolean {
    const words = this.wordsFrom(this.at);
    for (const length of [3, 2]) {
      const name = words.slice(0, length).map(singular).join(' ');
      if (
        words.length < length ||
        !(OTHER_DISHES.has(name) || OTHER_DISHES.has(words.slice(0, length).join(' ')))
      )
        continue;
      this.unknown.push(words.slice(0, length).join(' '));
      this.at += length;
      this.adjacent = false;
      return true;
    }
    return false;
  }

  /** Of two slices of bread, with what was said before it in one breath: "ham and cheese sandwich". */
  private sandwich(): void {
    const bread = foodAt(['white', 'bread']);
    this.at += 1;
    if (!bread) return;
    const count = this.amount.count ?? 1;
    // "a tuna salad sandwich": what is in it is not known
    if (this.unknown.length > 0)
      this.mentions.push({
        food: undefined,
        words: this.unknown.join(' '),
        amount: {},
        leftOut: [],
        corrected: false,
        companions: [],
      });
    this.mentions.push({
      food: bread.food,
      words: 'sandwich',
      amount: { count: 2 * count, measure: 'slice', vague: true },
      leftOut: [],
      corrected: false,
      companions: [],
    });
    this.amount = {};
    this.unknown = [];
    this.adjacent = true;
  }

  /** Skips what is said not to be eaten: the next food, and those that "or" and "and" join to it. */
  private negation(): void {
    this.endPhrase();
    this.at += 1;
    while (this.at < this.tokens.length && this.tokens[this.at]?.kind === 'word') {
      const word = wordAt(this.tokens, this.at) ?? '';
      const found = SEPARATORS.has(word) ? undefined : foodAt(this.wordsFrom(this.at));
      if (!found && isIgnored(word)) {
        this.at += 1;
        continue;
      }
      if (!found && (SEPARATORS.has(word) || word === 'but')) return;
      this.at += found?.length ?? 1;
      const joint = wordAt(this.tokens, this.at);
      const joined =
        joint === 'or' ||
        joint === 'nor' ||
        (joint === 'and' && FLAVOURS.has(wordAt(this.tokens, this.at + 1) ?? ''));
      if (!joined) return;
      this.at += 1;
    }
  }

  private notKnown(word: string): void {
    const last = this.mentions.at(-1);
    if (this.adjacent && last && isEmpty(this.amount) && this.unknown.length === 0) {
      // The last word of a name says what it is: "apple strudel" is no apple.
      last.words = `${last.words} ${word}`;
      last.food = undefined;
      this.clause = this.clause.slice(0, -1);
      return;
    }
    this.unknown.push(word);
  }

  /** What was said of a food that never came is a food that the table does not know. */
  private endPhrase(): void {
    if (this.unknown.length > 0)
      this.mentions.push({
        food: undefined,
        words: this.unknown.join(' '),
        amount: this.amount,
        leftOut: [],
        corrected: false,
        companions: [],
      });
    this.unknown = [];
    this.amount = {};
    this.adjacent = false;
  }

  private endsPhraseAt(at: number): boolean {
    const token = this.tokens[at];
    return (
      token === undefined || token.kind === 'mark' || (token.kind === 'word' && SEPARATORS.has(token.text))
    );
  }

  private wordsFrom(from: number): string[] {
    const words: string[] = [];
    for (let at = from; at < this.tokens.length && words.length < 6; at++) {
      const word = wordAt(this.tokens, at);
      if (word === undefined) break;
      words.push(word);
    }
    return words;
  }
}
