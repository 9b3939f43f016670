/** The words of meal texts that are not foods. */

/** A record without a prototype: "constructor" is a word like any other. */
const dictionary = <Value>(entries: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> => Object.assign(Object.create(null) as Record<string, Value>, entries);

/** Numbers that people write out. */
export const NUMBER_WORDS = dictionary<number>({
  a: 1, an: 1, one: 1, single: 1, two: 2, both: 2, double: 2, couple: 2, pair: 2, three: 3, triple: 3, few: 3, four: 4, several: 4, five: 5, six: 6, seven: 7, eight: 8, nine: 9, ten: 10,
  eleven: 11, twelve: 12, dozen: 12, fifteen: 15, twenty: 20, thirty: 30, fifty: 50, hundred: 100, half: 0.5, quarter: 0.25, third: 1 / 3, thirds: 1 / 3, quarters: 0.25,
});

/** Grams of one. */
export const MASS_UNITS = dictionary<number>({
  g: 1, gr: 1, gm: 1, gms: 1, gram: 1, gramme: 1, kg: 1000, kilo: 1000, kilogram: 1000, mg: 0.001, oz: 28.35, ounce: 28.35, lb: 453.6, lbs: 453.6, pound: 453.6,
});

/** Millilitres of one. */
export const VOLUME_UNITS = dictionary<number>({
  ml: 1, milliliter: 1, millilitre: 1, cl: 10, dl: 100, deciliter: 100, decilitre: 100, l: 1000, liter: 1000, litre: 1000, 'fl oz': 29.57, pint: 473, quart: 946,
  cup: 236.6, tbsp: 14.79, tsp: 4.93,
});

/** What a measure is called in the food table, by what people write. */
export const MEASURE_WORDS = dictionary<string>({
  cup: 'cup', c: 'cup', tbsp: 'tbsp', tbs: 'tbsp', tblsp: 'tbsp', tablespoon: 'tbsp', tablespoonful: 'tbsp', tsp: 'tsp', teaspoon: 'tsp', teaspoonful: 'tsp', slice: 'slice', piece: 'piece', pc: 'piece', pcs: 'piece', unit: 'piece',
  whole: 'piece', item: 'piece', breast: 'breast', thigh: 'thigh', drumstick: 'drumstick', fillet: 'fillet', filet: 'fillet', chop: 'chop', patty: 'patty', link: 'link', rasher: 'rasher', strip: 'strip', can: 'can', tin: 'can',
  bottle: 'bottle', glass: 'glass', mug: 'mug', container: 'container', pot: 'container', tub: 'container', carton: 'container', packet: 'packet', sachet: 'packet', bar: 'bar', scoop: 'scoop', pat: 'pat', knob: 'knob',
  stick: 'stick', wedge: 'wedge', cube: 'cube', square: 'square', spear: 'spear', stalk: 'stalk', floret: 'floret', leaf: 'leaf', head: 'head', bunch: 'bunch', ear: 'ear', cob: 'cob', block: 'block', bag: 'bag', box: 'box',
  bowl: 'bowl', bowlful: 'bowl', plate: 'plate', plateful: 'plate', handful: 'handful', fistful: 'handful', pinch: 'pinch', dash: 'dash', splash: 'splash', drizzle: 'drizzle', dollop: 'dollop', spoon: 'tbsp', spoonful: 'tbsp',
  serving: 'portion', portion: 'portion', helping: 'portion', order: 'portion', side: 'portion', shot: 'shot', pint: 'pint', half: 'half', ball: 'ball', steak: 'steak', clove: 'clove', stack: 'stack', wheel: 'wheel',
});

/** Vessels that a table gives no weight for, as volumes. */
export const VESSELS = dictionary<{ millilitres: number; dryGrams: number }>({
  bowl: { millilitres: 355, dryGrams: 250 }, // a cup and a half
  plate: { millilitres: 473, dryGrams: 300 },
  glass: { millilitres: 240, dryGrams: 240 },
  mug: { millilitres: 300, dryGrams: 240 },
  can: { millilitres: 355, dryGrams: 240 },
  bottle: { millilitres: 500, dryGrams: 500 },
  pint: { millilitres: 473, dryGrams: 473 },
  container: { millilitres: 170, dryGrams: 170 },
  shot: { millilitres: 30, dryGrams: 30 },
  splash: { millilitres: 15, dryGrams: 15 },
  drizzle: { millilitres: 5, dryGrams: 5 },
  dollop: { millilitres: 20, dryGrams: 20 },
  dash: { millilitres: 1, dryGrams: 1 },
  pinch: { millilitres: 0.4, dryGrams: 0.4 },
  handful: { millilitres: 80, dryGrams: 30 },
});

export const SIZES = dictionary<{ measure: string; factor: number }>({
  mini: { measure: 'mini', factor: 0.4 },
  tiny: { measure: 'extra small', factor: 0.5 },
  small: { measure: 'small', factor: 0.75 },
  little: { measure: 'small', factor: 0.75 },
  medium: { measure: 'medium', factor: 1 },
  regular: { measure: 'medium', factor: 1 },
  average: { measure: 'medium', factor: 1 },
  large: { measure: 'large', factor: 1.3 },
  big: { measure: 'large', factor: 1.3 },
  huge: { measure: 'extra large', factor: 1.6 },
  jumbo: { measure: 'jumbo', factor: 1.6 },
});

/** Separate one food from the next. */
export const SEPARATORS = new Set([',', ';', '+', '\n', '.', '/', 'and', 'with', 'plus', 'then', 'also', 'on', 'over', 'in', 'topped', 'alongside', 'followed', 'n', 'w']);

/** What comes after is not eaten. */
export const NEGATIONS = new Set(['no', 'without', 'minus', 'not', 'hold', 'skip', 'skipped', 'except']);

/** Say how a food is made, not what it is: neither change the number nor are they unknown. */
const ADJECTIVES = `plain fresh raw cooked boiled steamed grilled baked roasted roast fried pan stir deep sauteed toasted poached broiled bbq barbecued smoked dried frozen chilled cold hot warm iced ice melted mashed chopped diced sliced shredded grated
  peeled ripe organic homemade home made leftover natural unsweetened sweetened salted unsalted lean skinless boneless free range extra thick thin crunchy creamy crispy soft hard light heaped heaping level generous good nice decent rounded full fresh-squeezed squeezed
  wild farmed canned tinned bottled instant low fat nonfat reduced style whole-wheat multigrain wholegrain gluten dairy vegan spicy tender tasty delicious healthy typical usual normal standard real pure fluffy yummy quick simple classic crumbled ground minced cubed halved quartered drained rinsed
  cheap takeaway restaurant supermarket store bought buttered seasoned marinated stuffed filled sugar-free decaf skinny virgin cup-sized bite-size sized approx approximately about around roughly circa nearly almost maybe probably like some bit more less another other own`;
/** Makers and shops: who made it does not change what the table says. */
const BRANDS = `heinz kellogg kelloggs nestle danone fage chobani oatly alpro quaker kraft hellmanns hellmann philadelphia barilla dole chiquita tesco lidl aldi walmart costco starbucks mcdonalds mcdonald mcdonald's kirkland ben jerry jerrys haagen dazs lindt cadbury hershey hersheys hershey's
  skippy jif nutella's tropicana simply minute maid lays lay's pringles doritos nature valley clif kind optimum nutrition myprotein gold whey's bonne maman sainsbury sainsburys waitrose trader joe joes joe's dave's killer wonder warburtons hovis president kerrygold lurpak anchor land lakes dannon yoplait activia total
  bertolli de cecco uncle bens ben's mission old el paso birds eye green giant del monte john west starkist bumble bee princes siggis siggi's arla muller mueller budweiser heineken corona stella guinness coors subway dominos domino's pizza's hut burger-king kfc wendys wendy's chipotle`;
/** Small talk of meal texts. */
const FILLERS = `i i've ive had have having ate eat eaten eating drank drink drinking my me we our for breakfast lunch dinner supper snack brunch tea-time today yesterday tonight this morning afternoon evening night after before workout post pre at am pm the of to from it its it's was were is are that
  just only very really so which by mid late early noon midday midnight pack each every total as well made using homecooked cooked-up got grabbed did up out down one's kind sort type meal food plate's consumed finished left over too still then's mine worth use used contains containing includes including consisting consists consist`;

export const IGNORED = new Set([ADJECTIVES, BRANDS, FILLERS].flatMap((list) => list.split(/\s+/)));

/** Dishes that hold a food's name but are something else, which the table does not have: better unknown than wrong. */
export const OTHER_DISHES = new Set([
  'banana bread', 'banana split', 'carrot cake', 'chocolate milk', 'chocolate cake', 'chocolate mousse', 'chocolate spread', 'apple pie', 'apple crumble', 'apple cider', 'rice pudding', 'potato salad', 'egg salad', 'chicken soup', 'chicken nugget', 'chicken curry', 'butter chicken',
  'coconut milk', 'rice milk', 'oat milk', 'corn dog', 'hot dog', 'cream cheese frosting', 'tomato soup', 'tomato juice', 'potato soup', 'french toast', 'ginger beer', 'root beer', 'coffee cake', 'rice noodle', 'rice paper', 'corn bread', 'egg roll', 'egg noodle', 'beef jerky', 'beef stew', 'fish finger',
  'almond butter', 'cashew butter', 'peanut butter cup', 'cauliflower rice', 'milk shake', 'carrot juice', 'grape juice', 'pineapple juice', 'mango juice', 'bean burger', 'veggie burger', 'ice cream sandwich', 'chicken salad', 'caesar salad', 'pasta salad', 'fruit salad', 'greek salad',
  'mushroom soup', 'lentil soup', 'pea soup', 'onion ring', 'onion soup', 'sweet potato fries', 'cheese cake', 'cheese sauce', 'chocolate croissant', 'egg fried rice', 'sugar snap pea', 'garlic bread', 'iced tea', 'bubble tea', 'white wine', 'rose wine', 'diet coke', 'coke zero', 'diet cola', 'tuna salad',
]);
