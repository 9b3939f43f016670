/** A meal text as a row of words, numbers and marks. */
export type Token =
  | { kind: 'word'; text: string }
  | { kind: 'number'; value: number; fraction: boolean }
  | { kind: 'mark'; text: ',' | '\n' | '(' | ')' | ':' | '-' | 'x' | '~' };

const MAX_TOKENS = 600;

/** Cuts a text into tokens; what is written in several ways is brought to one. */
export function tokensOf(text: string): Token[] {
  const clean = text
    .slice(0, 4_000)
    .replaceAll(/(\d)\s*([¼½¾⅐-⅞])/g, '$1 $2')
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('⁄', '/')
    .replaceAll(/[’‘`´]/g, "'")
    .replaceAll(/\bw\/o\b/g, ' without ')
    .replaceAll(/\bw\//g, ' with ')
    .replaceAll(/\bpb\s*&\s*j\b/g, 'pbj')
    .replaceAll(/(?<=[\p{L}\d])-(?=\p{L})/gu, ' ')
    .replaceAll('&', ' and ')
    .replaceAll(/\b(?:fl|fluid)\.?\s*(?:oz|ounces?)\b\.?/g, ' floz ')
    .replaceAll(/\b(oz|lbs?|tbsps?|tsps?|gr?|ml|pcs?|kg)\.(?=\s|,|$)/g, '$1')
    // percentages name a kind of food, not an amount
    .replaceAll(/\b[12]\s?%\s*(?:fat\s*)?milk/g, 'semi skimmed milk')
    .replaceAll(/\b0\s?%\s*(?:fat)?/g, ' nonfat ')
    .replaceAll(/\b9\d\s?%\s*(?:lean\s*)?(?=ground beef|beef)/g, ' lean ')
    .replaceAll(/\b\d+(?:\.\d+)?\s?%\s*(?:fat|lean|cocoa|cacao)?/g, ' ')
    .replaceAll(/\bfat[- ]free\b|\bnon[- ]fat\b/g, 'nonfat')
    .replaceAll(/\b(?:sugar|gluten|dairy|lactose|caffeine|salt)[- ]free\b/g, ' ')
    .replaceAll(/\begg(s?),?\s+(scrambled|fried|boiled|hard[- ]boiled|poached)\b/g, '$2 egg$1');
  const tokens: Token[] = [];
  for (const [part] of clean.matchAll(
    /\d{1,3}(?:,\d{3})+(?!\d)|\d+\s*\/\s*\d+|\d+(?:[.,]\d+)?|\.\d+|[\p{L}']+|[\n;,+()[\]:=×*]|\.(?=\s|$)|\s[-–—]\s|[-–—~/|]/gu,
  )) {
    const token = tokenOf(part);
    if (token) tokens.push(token);
    if (tokens.length >= MAX_TOKENS) break;
  }
  return tokens;
}

function tokenOf(part: string): Token | undefined {
  if (/^\.?\d/.test(part)) return numberOf(part);
  if (/^[\p{L}']/u.test(part)) {
    const word = part.replaceAll(/^'+|'+$/g, '');
    if (word === 'x') return { kind: 'mark', text: 'x' };
    return word ? { kind: 'word', text: word } : undefined;
  }
  if (part === '\n') return { kind: 'mark', text: '\n' };
  if (part === '(' || part === '[') return { kind: 'mark', text: '(' };
  if (part === ')' || part === ']') return { kind: 'mark', text: ')' };
  if (part === '×' || part === '*') return { kind: 'mark', text: 'x' };
  if (part === ':' || part === '=') return { kind: 'mark', text: ':' };
  if (/^\s[-–—]\s$/.test(part)) return { kind: 'mark', text: '-' };
  if (/^[-–—~]$/.test(part)) return { kind: 'mark', text: '~' };
  return { kind: 'mark', text: ',' };
}

function numberOf(part: string): Token {
  const [above, below] = part.split('/');
  if (below !== undefined)
    return {
      kind: 'number',
      value: Number(below) === 0 ? Number(above) : Number(above) / Number(below),
      fraction: true,
    };
  const value = /^\d{1,3}(,\d{3})+$/.test(part)
    ? Number(part.replaceAll(',', ''))
    : Number(part.replace(',', '.'));
  return { kind: 'number', value, fraction: false };
}
