/** A colour of the Design Tokens Format Module (W3C Design Tokens Community Group, 2025.10, section 8.1). */
interface ColorToken {
  $type: 'color';
  $value: { colorSpace: 'srgb'; components: [number, number, number]; alpha: number; hex: string };
}

/** A theme as W3C design tokens: colours, font family, sizes. Values without a token type are left out. */
export function designTokensOf(theme: Record<string, unknown>): Record<string, unknown> {
  const { colors, typography, spacing } = theme as {
    colors?: unknown;
    typography?: unknown;
    spacing?: unknown;
  };
  return {
    ...group(
      'color',
      entriesOf(colors).flatMap(([name, value]) => (isColour(value) ? [[name, colorToken(value)]] : [])),
    ),
    ...group(
      'typography',
      entriesOf(typography).flatMap(([name, value]): [string, unknown][] => {
        if (typeof value === 'string') return [[name, { $type: 'fontFamily', $value: value }]];
        return typeof value === 'number' ? [[name, pixels(value)]] : [];
      }),
    ),
    ...group(
      'spacing',
      entriesOf(spacing).flatMap(([name, value]): [string, unknown][] =>
        typeof value === 'number' ? [[name, pixels(value)]] : [],
      ),
    ),
  };
}

const entriesOf = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : [];

/**
 * An object with the group under its name, or an empty object if no token is left. Tokens whose names contain `{`, `}` or
 * `.`, or begin with `$`, are left out, because the format does not allow these names (section 5.1).
 */
const group = (name: string, tokens: readonly (readonly unknown[])[]): Record<string, unknown> => {
  const named = tokens.filter(([token]) => !/^\$|[{}.]/.test(String(token)));
  return named.length > 0
    ? { [name]: Object.fromEntries(named.map(([token, value]) => [String(token), value])) }
    : {};
};

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
