/** A colour of the Design Tokens Format Module (W3C Design Tokens Community Group, 2025.10, section 8.1). */
interface ColorToken {
  $type: 'color';
  $value: { colorSpace: 'srgb'; components: [number, number, number]; alpha: number; hex: string };
}

/** A theme as W3C design tokens: colours, fonts, sizes; groups at any depth. Values without a token type are left out. */
export function designTokensOf(theme: Record<string, unknown>): Record<string, unknown> {
  const { colors, typography, spacing } = theme;
  return {
    ...group('color', colors, (_names, value) => (isColour(value) ? colorToken(value) : undefined)),
    ...group('typography', typography, typographyToken),
    ...group('spacing', spacing, (_names, value) => (typeof value === 'number' ? pixels(value) : undefined)),
  };
}

/** The token of a value; undefined if it has none. `names`: its name, then those of the groups around it, from within. */
type TokenOf = (names: readonly string[], value: unknown) => object | undefined;

/**
 * An object with the group under its name, or an empty object if no token is left. Tokens and groups whose names contain `{`,
 * `}` or `.`, or begin with `$`, are left out, because the format does not allow these names (section 5.1).
 */
function group(
  name: string,
  values: unknown,
  tokenOf: TokenOf,
  around: readonly string[] = [],
): Record<string, unknown> {
  if (typeof values !== 'object' || values === null) return {};
  const members = Object.entries(values).flatMap(([inner, value]: [string, unknown]): [string, unknown][] => {
    if (/^\$|[{}.]/.test(inner)) return [];
    if (typeof value === 'object') return Object.entries(group(inner, value, tokenOf, [name, ...around]));
    const token = tokenOf([inner, name, ...around], value);
    return token ? [[inner, token]] : [];
  });
  return members.length > 0 ? Object.fromEntries([[name, Object.fromEntries(members)]]) : {};
}

const NAME_OF_WEIGHTS = /weights?$/i;
const NAME_OF_LINE_HEIGHTS = /line-?heights?$/i;
const NAME_OF_FONTS = /family|families|(font|typeface)s?$/i;

/**
 * The nearest name that says a type decides it, because the values of several types are texts, or numbers: `fontWeight` in
 * `{"fontWeight": {"bold": 700}}`. Other numbers are sizes, and other texts have no token.
 */
function typographyToken(names: readonly string[], value: unknown): object | undefined {
  const name = names.find((each) =>
    [NAME_OF_WEIGHTS, NAME_OF_LINE_HEIGHTS, NAME_OF_FONTS].some((type) => type.test(each)),
  );
  if (name && NAME_OF_WEIGHTS.test(name))
    return isWeight(value) ? { $type: 'fontWeight', $value: value } : undefined;
  if (typeof value === 'number')
    return name && NAME_OF_LINE_HEIGHTS.test(name) ? { $type: 'number', $value: value } : pixels(value);
  return typeof value === 'string' && name && NAME_OF_FONTS.test(name) ? fontFamily(value) : undefined;
}

/** The fonts of a CSS `font-family`: their names without quotation marks. A single one is a text, several are a list. */
function fontFamily(fonts: string): object | undefined {
  const names = [...fonts.matchAll(/"([^"]*)"|'([^']*)'|([^,"']+)/g)]
    .map(([, double, single, plain]) => (double ?? single ?? plain ?? '').trim())
    .filter((name) => name !== '');
  const [first, ...others] = names;
  if (first === undefined) return undefined;
  return { $type: 'fontFamily', $value: others.length > 0 ? names : first };
}

/** The names of weights (section 8.4). */
const WEIGHTS: ReadonlySet<unknown> = new Set(
  (
    'thin hairline extra-light ultra-light light normal regular book ' +
    'medium semi-bold demi-bold bold extra-bold ultra-bold black heavy extra-black ultra-black'
  ).split(' '),
);

const isWeight = (value: unknown): boolean =>
  typeof value === 'number' ? value >= 1 && value <= 1_000 : WEIGHTS.has(value);

const isColour = (value: unknown): value is string =>
  typeof value === 'string' && /^#([0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/i.test(value);

const pixels = (value: number) => ({ $type: 'dimension', $value: { value, unit: 'px' } });

function colorToken(colour: string): ColorToken {
  const digits = colour.length === 4 ? colour.slice(1).replace(/./g, '$&$&') : colour.slice(1);
  const part = (at: number) =>
    Math.round((Number.parseInt(digits.slice(at, at + 2), 16) / 255) * 10_000) / 10_000;
  return {
    $type: 'color',
    $value: {
      colorSpace: 'srgb',
      components: [part(0), part(2), part(4)],
      alpha: digits.length === 8 ? part(6) : 1,
      hex: `#${digits.slice(0, 6).toLowerCase()}`,
    },
  };
}
