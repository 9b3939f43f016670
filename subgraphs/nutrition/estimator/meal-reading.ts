import type { Food } from '../foods/food.ts';
import { AmountReader, isEmpty, type Amount } from './amounts.ts';
import { isSideDish } from './food-kinds.ts';
import type { Mention } from './mention.ts';
import type { Language, Token } from './tokens.ts';

/** The maximum number of words that are compared with names of foods. */
const MAX_WORDS_COMPARED = 8;

/** The state of reading a meal text from left to right: the mentions so far, and what was said of the next food. */
export class MealReading {
  readonly tokens: readonly Token[];
  readonly language: Language;
  readonly reader: AmountReader;
  readonly mentions: Mention[] = [];
  /** Parts of the text that were not understood. */
  readonly unknown: string[] = [];
  /** The index of the next token. */
  at = 0;
  /** The amount of the next food. */
  amount: Amount = {};
  /** Words before the next food that were not understood. */
  pending: string[] = [];
  /** Whether the next food is raw or dry. */
  raw = false;
  /** Whether the next food is without sugar. */
  sugarFree = false;
  /**
   * Whether the next token is in the phrase of the last mention. A mark, a separator ("and") and an amount after the food
   * end the phrase; words that were not understood do not end it.
   */
  continuesPhrase = false;
  /**
   * The foods with which the next food is eaten: those before it in the same line; after a comma only the last food before
   * the comma, and those after the comma.
   */
  companions: Food[] = [];
  /** The word or mark before the next food. */
  joiner = '';
  /** The `group` of the last mention. A dish with its fillings has one number; every other food has a number of its own. */
  group = 0;
  /** Whether the text is listing the parts of a dish. */
  listsParts = false;

  constructor(tokens: readonly Token[], language: Language) {
    this.tokens = tokens;
    this.language = language;
    this.reader = new AmountReader(tokens, language);
  }

  get last(): Mention | undefined {
    return this.mentions.at(-1);
  }

  /** The last mention, if the next token is in its phrase, and all words after it were understood. */
  get before(): Mention | undefined {
    return this.continuesPhrase && this.pending.length === 0 ? this.last : undefined;
  }

  /** Adds a mention with the amount and the words that were read for it. */
  add(food: Food, words: string, corrected: boolean): Mention {
    const { last } = this;
    this.listsParts = false;
    const inDish =
      last !== undefined &&
      last.group === this.group &&
      last.role !== 'food' &&
      !isSideDish(food) &&
      isEmpty(this.amount) &&
      this.joiner !== '' &&
      this.joiner !== '\n' &&
      (this.joiner !== ',' || last.role === 'filling');
    if (!inDish) this.group += 1;
    const mention: Mention = {
      food,
      words,
      amount: this.amount,
      leftOut: this.pending,
      corrected,
      flavoured: false,
      role: inDish ? 'filling' : this.language.lexicon.composites.has(words) ? 'base' : 'food',
      group: this.group,
      excluded: [],
      companions: this.companions,
      joiner: this.joiner,
    };
    this.mentions.push(mention);
    this.companions = [...this.companions, food];
    this.forgetNext();
    this.continuesPhrase = true;
    this.joiner = '';
    return mention;
  }

  /** Ends a phrase. Pending words, after which no food came, become `unknown`. */
  endPhrase(joiner: string): void {
    if (this.pending.length > 0) this.unknown.push(this.pending.join(' '));
    this.forgetNext();
    this.continuesPhrase = false;
    this.joiner = joiner;
  }

  private forgetNext(): void {
    this.amount = {};
    this.pending = [];
    this.raw = false;
    this.sugarFree = false;
  }

  endsPhraseAt(at: number): boolean {
    const token = this.tokens[at];
    return (
      token === undefined ||
      token.kind === 'mark' ||
      (token.kind === 'word' && this.language.lexicon.separators.has(token.text))
    );
  }

  /** The words from a token on, up to the next number or mark. */
  wordsFrom(from: number): string[] {
    const words: string[] = [];
    for (let at = from; at < this.tokens.length && words.length < MAX_WORDS_COMPARED; at++) {
      const word = this.reader.word(at);
      if (word === undefined) break;
      words.push(word);
    }
    return words;
  }
}
