import { z } from 'zod';

/**
 * A gym's theme and assets, which front ends put into their style sheets and load. Known keys have types; unknown keys
 * are stored unchanged. No value can end a CSS value early or run as a script.
 */

const LONGEST_TEXT = 2_048; // characters

const EXPECTED_ADDRESS = 'expected an http(s) URL, or a path that begins with one slash';
const EXPECTED_COLOUR = 'expected a colour such as #1a2b3c';
const EXPECTED_TEXT =
  'expected text that cannot end a CSS value: without control characters, ; { } < > \\ /* url( and javascript:';

/** Characters that end an attribute or a URL, and characters that browsers remove or treat as a slash. */
const NOT_IN_ADDRESS = /[\s\p{C}"'`<>\\]/u;
/** Characters that end a CSS value, and words that load a URL or run a script. */
const LEAVES_CSS_VALUE = /[;{}<>\\\p{Cc}]|\/\*|url\s*\(|javascript\s*:/iu;

const colour = z.string().regex(/^#([0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/i, EXPECTED_COLOUR);
const address = z.string().max(LONGEST_TEXT, { abort: true }).refine(isAddress, EXPECTED_ADDRESS);

/** Pictures by their use. Every text at any depth is a URL that a browser may load. */
export const assetsShape = z
  .looseObject({
    logo: address.optional().meta({ description: 'The address of the logo.' }),
    splash: address
      .optional()
      .meta({ description: 'The address of the picture that an app shows while it starts.' }),
    icon: address.optional().meta({ description: "The address of the app's icon." }),
  })
  .superRefine((assets, context) => {
    for (const { path, value, isKey } of leavesOf(assets))
      if (typeof value === 'string' && !isKey && !KNOWN_ASSETS.has(path.join('.')) && !isAddress(value))
        context.addIssue({ code: 'custom', path, message: EXPECTED_ADDRESS });
  });

/**
 * Every value under `colors` must be a colour, at any depth, except below keys that begin with `x-`. All other texts, and
 * all keys, must not end a CSS value.
 */
export const themeShape = z
  .looseObject({
    colors: z
      .looseObject({
        primary: colour.optional().meta({ description: 'The main colour of the gym.' }),
        secondary: colour.optional().meta({ description: 'The second colour of the gym.' }),
        background: colour.optional().meta({ description: 'The colour behind texts.' }),
        text: colour.optional().meta({ description: 'The colour of texts.' }),
      })
      .optional()
      .meta({ description: 'Colours by their use: `#rgb`, `#rrggbb` or `#rrggbbaa`.' }),
    typography: z
      .looseObject({
        fontFamily: z
          .string()
          .min(1)
          .max(200)
          .optional()
          .meta({ description: 'The fonts, as in CSS `font-family`.' }),
        baseSize: z
          .number()
          .min(8)
          .max(40)
          .optional()
          .meta({ description: 'The size of texts in CSS pixels.' }),
      })
      .optional()
      .meta({ description: 'Fonts and their sizes.' }),
    spacing: z
      .looseObject({
        unit: z
          .number()
          .min(1)
          .max(64)
          .optional()
          .meta({ description: 'The smallest distance in CSS pixels, of which others are multiples.' }),
      })
      .optional()
      .meta({ description: 'Distances between parts of a page.' }),
  })
  .superRefine((theme, context) => {
    for (const leaf of leavesOf(theme)) {
      const message = wrongInTheme(leaf);
      if (message) context.addIssue({ code: 'custom', path: leaf.path, message });
    }
  });

function wrongInTheme({ path, value, isKey }: Leaf): string | undefined {
  const isColour = !isKey && path[0] === 'colors' && !path.some((key) => key.startsWith('x-'));
  if (isColour) {
    const isChecked = KNOWN_COLOURS.has(path.join('.'));
    return isChecked || colour.safeParse(value).success ? undefined : EXPECTED_COLOUR;
  }
  return typeof value !== 'string' || staysInCssValue(value) ? undefined : EXPECTED_TEXT;
}

/** The shapes have already checked these keys; checking them here too would report each error twice. */
const KNOWN_ASSETS: ReadonlySet<string> = new Set(['logo', 'splash', 'icon']);
const KNOWN_COLOURS: ReadonlySet<string> = new Set(
  ['primary', 'secondary', 'background', 'text'].map((name) => `colors.${name}`),
);

function isAddress(text: string): boolean {
  if (text.length > LONGEST_TEXT || NOT_IN_ADDRESS.test(text)) return false;
  // "//host/path" leads to another host.
  if (text.startsWith('/')) return !text.startsWith('//');
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

function staysInCssValue(text: string): boolean {
  return !LEAVES_CSS_VALUE.test(text);
}

interface Leaf {
  path: string[];
  value: unknown;
  isKey: boolean;
}

/** Every key, and every value that is neither an object nor a list, at any depth. JSON bodies are at most 100 levels deep. */
function* leavesOf(value: unknown, path: string[] = []): Generator<Leaf> {
  if (typeof value !== 'object' || value === null) {
    yield { path, value, isKey: false };
    return;
  }
  for (const [key, inner] of Object.entries(value)) {
    const inside = [...path, key];
    if (!Array.isArray(value)) yield { path: inside, value: key, isKey: true };
    yield* leavesOf(inner, inside);
  }
}
