import { foodById } from '../foods/food-table.ts';
import type { Food } from '../foods/food.ts';
import { AmountReader, isEmpty, isQuantity, type Amount } from './amounts.ts';
import { readByContext } from './context.ts';
import { addsNothing, categoryOf, isBread, isHead, isPotato, TASTES } from './food-kinds.ts';
import { rawForm, sugarFreeForm, type NamedFood } from './food-names.ts';
import { tokensOf, type Language, type Token } from './tokens.ts';
import { singular } from './words.ts';

/** One food that a text mentions. */
export interface Mention {
  food: Food;
  /** As it is written. */
  words: string;
  amount: Amount;
  /** Words beside the name that were not understood. */
  leftOut: string[];
  corrected: boolean;
  /** What the food is flavoured with was not looked up: "mango yogurt". */
  flavoured: boolean;
  /** `filling`: in or on the food of the same group that was named first. */
  role: 'food' | 'base' | 'filling';
  /** The foods of one dish have the same number. */
  group: number;
  /** What the text says was left out of the dish: "without dressing". */
  minus: Food[];
  /** What it is eaten with: the foods before it since the last comma or line. */
  companions: readonly Food[];
  /** The word that joins it to the mention before. */
  joint: string;
  /** The drink whose own milk it is: "cappuccino with oat milk". */
  replacesMilkOf?: Mention;
}

export interface ParsedMeal {
  mentions: Mention[];
  /** Text that was not understood. */
  unknown: string[];
}

/** What a meal text says was eaten, in its order. */
export const parseMeal = (text: string, language: Language): ParsedMeal =>
  new MealParser(tokensOf(text, language), language).parse();

const WITH: ReadonlySet<string> = new Set(['with', 'mit', 'avec', 'con']);

/** Reads from left to right, keeping what was said of the next food until it comes. */
class MealParser {
  private readonly tokens: readonly Token[];
  private readonly language: Language;
  private readonly reader: AmountReader;
  private readonly mentions: Mention[] = [];
  private readonly unknown: string[] = [];
  private at = 0;
  private amount: Amount = {};
  private pending: string[] = [];
  private raw = false;
  private sugarFree = false;
  /** Whether nothing separates the last mention from the next word. */
  private adjacent = false;
  private clause: Food[] = [];
  private joint = '';
  private group = 0;
  /** Whether the text is listing what a dish holds. */
  private listsParts = false;

  constructor(tokens: readonly Token[], language: Language) {
    this.tokens = tokens;
    this.language = language;
    this.reader = new AmountReader(tokens, language);
  }

  parse(): ParsedMeal {
    while (this.at < this.tokens.length) this.step();
    this.endPhrase('');
    readByContext(this.mentions);
    return { mentions: this.mentions, unknown: this.unknown };
  }

  private get last(): Mention | undefined {
    return this.mentions.at(-1);
  }

  private step(): void {
    const { lexicon } = this.language;
    const token = this.tokens[this.at];
    if (token?.kind === 'mark') return this.mark(token.text);
    if (token?.kind === 'number') return token.value <= 0 ? this.nothing() : this.quantity();
    const word = token?.text ?? '';
    if (this.named()) return;
    if (lexicon.negations.has(word)) return this.negation();
    if (lexicon.separators.has(word)) {
      this.endPhrase(word);
      this.at += 1;
      return;
    }
    if (lexicon.composites.has(word)) return this.composite(word);
    if (lexicon.raw.has(word)) return this.modifier('raw');
    if (lexicon.sugarFree.has(word)) return this.modifier('sugarFree');
    if (lexicon.of.has(word) && this.adjacent && this.flavour()) return;
    if (this.reader.at(this.at).length > 0) return this.quantity();
    const isMeasure = lexicon.measures.has(word) || lexicon.sizes.has(word);
    if (!lexicon.ignored.has(word) && !lexicon.of.has(word) && !isMeasure && !isAdverb(word))
      this.notKnown(word);
    this.at += 1;
  }

  private mark(text: string): void {
    const next = this.reader.at(this.at + 1);
    const { last } = this;
    // "rice (200 g)", "rice: 200 g", "eggs x2", "rice, 200 g": the amount of what stands before
    if (
      last &&
      this.pending.length === 0 &&
      isEmpty(this.amount) &&
      next.length > 0 &&
      this.endsPhraseAt(this.at + 1 + next.length) &&
      ('(:-x'.includes(text) ||
        (text === ',' && (isQuantity(next.amount) || next.amount.measure !== undefined))) &&
      (isEmpty(last.amount) || (isQuantity(next.amount) && !isQuantity(last.amount)))
    ) {
      // "2 slices (60 g)": the weight is of all of them
      const counted = text === 'x' && !isQuantity(next.amount) ? this.headOfDish() : last;
      counted.amount = isQuantity(next.amount) ? next.amount : { ...counted.amount, ...next.amount };
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
      while (
        this.adjacent &&
        this.last &&
        isEmpty(this.last.amount) &&
        this.clause.includes(this.last.food)
      ) {
        this.clause = this.clause.slice(0, -1);
        this.mentions.pop();
        if (this.last?.joint === '\n' || this.last?.joint === ',') break;
      }
      this.pending = [];
    }
    if (text !== '~' && text !== 'x') this.endPhrase(text);
    if (text === ',') this.clause = this.clause.slice(-1);
    if (text === '\n') this.clause = [];
    this.at += 1;
  }

  /** "toast with butter x3": the number is of the toast, if none was said of it before. */
  private headOfDish(): Mention {
    const { last } = this;
    let at = this.mentions.length - 1;
    while (at > 0 && WITH.has(this.mentions[at]?.joint ?? '')) at -= 1;
    const head = this.mentions[at];
    return (head && isEmpty(head.amount) ? head : last) as Mention;
  }

  /** "-5 eggs", "0 g milk": nobody eats nothing, or less, so that it is not understood. */
  private nothing(): void {
    this.endPhrase('');
    const words: string[] = [];
    while (this.at < this.tokens.length && (words.length === 0 || !this.endsPhraseAt(this.at))) {
      const token = this.tokens[this.at];
      if (token) words.push(token.kind === 'number' ? String(token.value) : token.text);
      this.at += 1;
    }
    this.unknown.push(words.join(' '));
  }

  private quantity(): void {
    const { amount, length } = this.reader.at(this.at);
    const { last } = this;
    const ends = this.endsPhraseAt(this.at + length);
    const behind =
      this.adjacent &&
      last &&
      this.pending.length === 0 &&
      (amount.count !== undefined || amount.size !== undefined)
        ? isEmpty(last.amount) ||
          ((ends || amount.energy !== undefined) && isQuantity(amount) && !isQuantity(last.amount))
        : false;
    if (behind && last && (ends || isQuantity(amount))) {
      last.amount = amount;
      this.adjacent = false;
    } else if (length > 0) {
      if (!isEmpty(this.amount) || this.adjacent) this.endPhrase('');
      this.amount = amount;
    }
    this.at += Math.max(1, length);
  }

  private modifier(kind: 'raw' | 'sugarFree'): void {
    const form = kind === 'raw' ? rawForm : sugarFreeForm;
    // "100 g of rice, uncooked"
    const alone = this.pending.length === 0 && isEmpty(this.amount) && this.endsPhraseAt(this.at + 1);
    const changed = (this.adjacent || alone) && this.last ? form(this.last.food) : undefined;
    if (changed && this.last) this.last.food = changed;
    else if (kind === 'raw') this.raw = true;
    else this.sugarFree = true;
    this.at += 1;
  }

  /** A known food begins here. */
  private named(): boolean {
    const found = this.language.names.foodAt(this.wordsFrom(this.at));
    if (!found || (found.corrected && this.hasMeaning(this.at))) return false;
    const words = this.wordsFrom(this.at).slice(0, found.length);
    const before = this.adjacent && this.pending.length === 0 ? this.last : undefined;
    const lastWord = words.at(-1) ?? '';
    if (
      before &&
      before.food.category !== 'eggs' &&
      found.length === 1 &&
      this.language.lexicon.composites.has(lastWord) &&
      this.canFlavour(before, found.food)
    ) {
      if (isBread(before.food)) {
        // "sourdough toast", "rye sandwich"
        before.role = 'base';
        this.at += 1;
      } else this.composite(lastWord);
      return true;
    }
    this.at += found.length;
    const food = this.formOf(found.food);
    const eggs =
      before &&
      food.category === 'eggs' &&
      ['egg_boiled', 'egg_fried', 'egg_scrambled', 'egg_white', 'egg_poached'].includes(before.food.id);
    if (before && eggs) {
      // "a three egg omelette", "2 eggs scrambled"
      if (food.id === 'omelette') before.amount = { ...before.amount, measure: 'egg' };
      before.food = food;
      before.words = `${before.words} ${words.join(' ')}`;
      return true;
    }
    if (before?.food === food && isEmpty(this.amount)) {
      // "Oatly oat milk": the maker's name and the food's
      before.words = `${before.words} ${words.join(' ')}`;
      return true;
    }
    const { last } = this;
    if (
      last &&
      food.id === 'egg_boiled' &&
      this.amount.count !== undefined &&
      ['omelette', 'egg_scrambled', 'omelette_cheese'].includes(last.food.id) &&
      !isQuantity(last.amount) &&
      ['', 'of', 'with', 'mit', 'avec', 'con'].includes(this.joint)
    ) {
      // "an omelette of three eggs", "Rührei aus 2 Eiern"
      // The table's cheese omelette is of two eggs.
      const omelettes = last.food.id === 'omelette_cheese' ? 2 : 1;
      last.amount = {
        count: this.amount.count / omelettes,
        ...(last.food.id === 'omelette' && { measure: 'egg' }),
      };
      this.amount = {};
      this.adjacent = true;
      return true;
    }
    if (before && isEmpty(this.amount) && addsNothing(before.food, food)) {
      before.words = `${before.words} ${words.join(' ')}`;
      return true;
    }
    if (before && this.canFlavour(before, food) && isHead(food)) {
      before.food = food;
      before.words = `${before.words} ${words.join(' ')}`;
      before.flavoured = true;
      this.clause = [...this.clause.slice(0, -1), food];
      return true;
    }
    const base = this.last;
    if (base?.role === 'base' && base.group === this.group && this.replacesBread(base, food)) return true;
    if (this.isPartOfDish(food)) return true;
    if (this.amount.measure === undefined) this.measureBehind();
    this.add(found, food, words.join(' '));
    return true;
  }

  /** "a burrito bowl with chicken, rice and beans": what the recipe of the dish holds is not counted twice. */
  private isPartOfDish(food: Food): boolean {
    const dish = this.last;
    const parts = dish?.food.recipe?.parts.map(([ndb]) => ndb) ?? [];
    const joins = this.listsParts || ['with', 'mit', 'avec', 'con', 'including'].includes(this.joint);
    if (!dish || !joins || !isEmpty(this.amount) || !['dishes', 'fast_food'].includes(dish.food.category))
      return false;
    const alike = ['meat', 'fish', 'legumes'].includes(food.category);
    const isPart = parts.some(
      (ndb) =>
        ndb === food.ndb ||
        food.recipe?.parts[0]?.[0] === ndb ||
        (alike && categoryOf(ndb) === food.category),
    );
    if (!isPart) return false;
    this.endPhrase('');
    this.listsParts = true;
    return true;
  }

  /** Whether the mention right before a food says what the latter tastes of or holds: "mango yogurt", not "2 eggs toast". */
  private canFlavour({ food, words, amount, role }: Mention, next: Food): boolean {
    if (role !== 'food' || (isHead(food) && !TASTES.has(food.id)) || next.id === food.id) return false;
    const plural = singular(words.split(' ').at(-1) ?? '') !== words.split(' ').at(-1);
    return !(plural && amount.count !== undefined && !isQuantity(amount));
  }

  private formOf(food: Food): Food {
    const form = (this.raw ? rawForm(food) : undefined) ?? (this.sugarFree ? sugarFreeForm(food) : undefined);
    return form ?? food;
  }

  private add(found: Pick<NamedFood, 'corrected'>, food: Food, words: string): Mention {
    const { last } = this;
    this.listsParts = false;
    const inDish =
      last !== undefined &&
      last.group === this.group &&
      last.role !== 'food' &&
      !isPotato(food) &&
      isEmpty(this.amount) &&
      this.joint !== '' &&
      this.joint !== '\n' &&
      (this.joint !== ',' || last.role === 'filling');
    if (!inDish) this.group += 1;
    const mention: Mention = {
      food,
      words,
      amount: this.amount,
      leftOut: this.pending,
      corrected: found.corrected,
      flavoured: false,
      role: inDish ? 'filling' : this.language.lexicon.composites.has(words) ? 'base' : 'food',
      group: this.group,
      minus: [],
      companions: this.clause,
      joint: this.joint,
    };
    this.mentions.push(mention);
    this.clause = [...this.clause, food];
    this.amount = {};
    this.pending = [];
    this.raw = false;
    this.sugarFree = false;
    this.adjacent = true;
    this.joint = '';
    return mention;
  }

  /** A dish of a base and what was said before it in one breath: "ham and cheese sandwich". */
  private composite(word: string): void {
    const base = foodById(this.language.lexicon.composites.get(word) ?? '');
    this.at += 1;
    if (!base) return;
    const fillings: Mention[] = [];
    if (this.adjacent && this.pending.length === 0)
      for (let index = this.mentions.length - 1; index >= 0; index--) {
        const mention = this.mentions[index];
        if (!mention || mention.role !== 'food' || isHead(mention.food)) break;
        fillings.unshift(mention);
        // "2 ham and cheese sandwiches": the amount before the first is of the dish
        if (!isEmpty(mention.amount) || !['and', 'und', 'et', 'y', 'n'].includes(mention.joint)) break;
      }
    const amount = fillings[0]?.amount ?? this.amount;
    const isSliced = base.id.startsWith('bread_') && base.id !== 'bread_roll';
    this.group += 1;
    for (const filling of fillings)
      Object.assign(filling, { role: 'filling', group: this.group, amount: {} });
    this.amount = {};
    const plain = fillings.length === 0 && isSliced ? foodById('ham_cheese_sandwich') : undefined;
    const followed =
      this.language.lexicon.separators.has(this.reader.word(this.at) ?? '') ||
      this.language.lexicon.of.has(this.reader.word(this.at) ?? '');
    const group = this.group;
    const mention = this.add({ corrected: false }, plain && !followed ? plain : base, word);
    Object.assign(mention, { role: 'base', group, amount });
    this.group = group;
    // Two slices, or a piece of a baguette
    if (isSliced && mention.food === base && !isQuantity(amount) && amount.measure === undefined)
      mention.amount = {
        count: amount.count ?? 1,
        measure: 'sandwich',
        ...(amount.size && { size: amount.size }),
      };
  }

  /** "a turkey sandwich on whole wheat bread" */
  private replacesBread(base: Mention, food: Food): boolean {
    if (this.joint !== 'on' || !isBread(base.food) || !isBread(food) || !isEmpty(this.amount)) return false;
    base.food = food;
    this.adjacent = true;
    return true;
  }

  /** "jus de pomme", "sandwich au jambon": the food behind says what the one before tastes of or holds. */
  private flavour(): boolean {
    const { last } = this;
    let at = this.at;
    while (this.language.lexicon.of.has(this.reader.word(at) ?? '')) at += 1;
    const words = this.wordsFrom(at);
    const found = words.length > 0 ? this.language.names.foodAt(words) : undefined;
    if (!last || !found || this.language.locale === 'en') return false;
    // "pâtes à la bolognaise" is one name without the words between.
    const whole = this.language.names.foodAt([...last.words.split(' '), ...words]);
    if (whole && !whole.corrected && whole.length > last.words.split(' ').length) {
      this.at = at + whole.length - last.words.split(' ').length;
      last.food = whole.food;
      return true;
    }
    this.at = at;
    if (last.role === 'base') {
      this.joint = 'of';
      return true;
    }
    if (!isHead(last.food)) {
      this.endPhrase('of');
      return true;
    }
    last.flavoured = true;
    last.words = `${last.words} ${words.slice(0, found.length).join(' ')}`;
    this.at += found.length;
    return true;
  }

  /** "two cod fillets", "bacon rashers": a measure right behind the name. */
  private measureBehind(): void {
    const measure = this.language.lexicon.measures.get(this.reader.word(this.at) ?? '');
    if (
      !measure ||
      measure === 'portion' ||
      isQuantity(this.amount) ||
      this.language.names.foodAt(this.wordsFrom(this.at))
    )
      return;
    this.amount = { ...this.amount, measure };
    this.at += 1;
  }

  /** Skips what is said not to be eaten: the next food, and those that "or" and "and" join to it. */
  private negation(): void {
    const dish = this.last;
    this.endPhrase('');
    this.at += 1;
    const { lexicon, names } = this.language;
    while (this.at < this.tokens.length && this.tokens[this.at]?.kind === 'word') {
      const word = this.reader.word(this.at) ?? '';
      const found = lexicon.separators.has(word) ? undefined : names.foodAt(this.wordsFrom(this.at));
      if (!found && (lexicon.ignored.has(word) || lexicon.of.has(word) || lexicon.numbers.has(word))) {
        this.at += 1;
        continue;
      }
      if (!found && (lexicon.separators.has(word) || word === 'but')) return;
      if (found && dish) {
        const form = found.food.category === 'sweets' ? sugarFreeForm(dish.food) : undefined;
        if (form) dish.food = form;
        else dish.minus.push(found.food);
      }
      this.at += found?.length ?? 1;
      if (!this.joinsNegation()) return;
      this.at += 1;
    }
  }

  /** "no milk or sugar", "without butter and cheese": but "no fries and a coke" goes on with what is eaten. */
  private joinsNegation(): boolean {
    const joint = this.reader.word(this.at);
    if (['or', 'nor', 'oder', 'ou', 'o', 'ni'].includes(joint ?? '')) return true;
    if (!['and', 'und', 'et', 'y'].includes(joint ?? '')) return false;
    const next = this.language.names.foodAt(this.wordsFrom(this.at + 1))?.food;
    return (
      next !== undefined &&
      (['sauces', 'fats', 'seasonings'].includes(next.category) ||
        /^(milk|sugar|cream|onion|cheddar|bacon|honey)/.test(next.id))
    );
  }

  /** Whether a word means something else than a food, so that it is no slip of a food's name. */
  private hasMeaning(at: number): boolean {
    const { lexicon } = this.language;
    const word = this.reader.word(at) ?? '';
    return (
      this.reader.at(at).length > 0 ||
      [lexicon.ignored, lexicon.separators, lexicon.negations, lexicon.raw, lexicon.of, lexicon.ranges].some(
        (set) => set.has(word),
      ) ||
      lexicon.composites.has(word) ||
      lexicon.measures.has(word) ||
      isAdverb(word)
    );
  }

  private notKnown(word: string): void {
    if (this.adjacent && this.last && isEmpty(this.amount) && this.pending.length === 0) {
      // The last word of a name says what it is, so that the food before it is only a guess.
      this.last.leftOut.push(word);
      return;
    }
    this.pending.push(word);
  }

  /** What was said of a food that never came is not understood. */
  private endPhrase(joint: string): void {
    if (this.pending.length > 0) this.unknown.push(this.pending.join(' '));
    this.pending = [];
    this.amount = {};
    this.raw = false;
    this.sugarFree = false;
    this.adjacent = false;
    this.joint = joint;
  }

  private endsPhraseAt(at: number): boolean {
    const token = this.tokens[at];
    return (
      token === undefined ||
      token.kind === 'mark' ||
      (token.kind === 'word' && this.language.lexicon.separators.has(token.text))
    );
  }

  private wordsFrom(from: number): string[] {
    const words: string[] = [];
    for (let at = from; at < this.tokens.length && words.length < 8; at++) {
      const word = this.reader.word(at);
      if (word === undefined) break;
      words.push(word);
    }
    return words;
  }
}

const isAdverb = (word: string): boolean => word.length > 5 && /[^e]ed$|ly$/.test(word);
