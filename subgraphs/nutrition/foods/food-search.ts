import { editDistance } from '#server/edit-distance.ts';
import { singular } from '../estimator/words.ts';

// Bounds, because each word is compared with every name of the table.
const MAX_SEARCH_WORDS = 8;
const MAX_WORD_CHARACTERS = 40;

export const wordsOf = (search: string): string[] =>
  partsOf(search)
    .slice(0, MAX_SEARCH_WORDS)
    .map((word) => word.slice(0, MAX_WORD_CHARACTERS));

const partsOf = (text: string): string[] =>
  text
    // Some keyboards and systems send a letter and its accent as two characters.
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{L}\p{N}\p{M}%]+/u)
    .filter((word) => /[\p{L}\p{N}%]/u.test(word));

/**
 * The distance between the words of a search and the most similar of a food's names: 0 for the name itself. Undefined if no
 * name contains a similar word for each of the searched words.
 */
export function nameDistanceOf(names: readonly string[], words: readonly string[]): number | undefined {
  if (words.length === 0) return 0;
  const possible = names.flatMap((name) => {
    const parts = partsOf(name);
    let score = 0;
    for (const word of words) {
      const distance = Math.min(...parts.map((part) => distanceOf(singular(word), singular(part))));
      if (distance > 3) return [];
      score += distance;
    }
    return [score + Math.max(0, parts.length - words.length) * 0.1];
  });
  return possible.length === 0 ? undefined : Math.round(Math.min(...possible) * 10) / 10;
}

/** 0: equal; 0.5: the word is the beginning of the part; 1 plus the number of edits: similar; 9: neither of these. */
function distanceOf(word: string, part: string): number {
  if (word === part) return 0;
  if (part.startsWith(word)) return 0.5;
  const allowed = word.length < 5 ? 0 : word.length < 9 ? 1 : 2;
  const edits = Math.abs(word.length - part.length) > allowed ? allowed + 1 : editDistance(word, part);
  return edits <= allowed ? 1 + edits : 9;
}
