import { editDistance } from '#server/edit-distance.ts';
import { PHRASES } from './body-areas.ts';

/** The maximum number of words of one search that are compared with every word of the vocabulary; each takes some milliseconds. */
const MAX_COMPARED_WORDS = 10;
const MAX_CUTS = 2;
const MAX_NEAREST = 6;
const MAX_UNCERTAIN = 8;

/** What one word of a search may mean. Each alternative is one word, or several that were written as one. */
export interface Meanings {
  /** With the letters as they were typed. */
  exact: string[][];
  /** Less certain meanings, ranked after the exact ones: with a typing error corrected, beginnings of words, phrases. */
  uncertain: string[][];
}

/** The words that occur in the texts of a table. */
export class Vocabulary {
  private readonly sorted: readonly string[];
  private readonly byLength = new Map<number, { word: string; letters: number }[]>();

  constructor(words: readonly string[]) {
    this.sorted = words.filter((word) => /^[\p{L}\p{N}]+$/u.test(word)).toSorted(byCodeUnits);
    for (const word of this.sorted) {
      const bucket = this.byLength.get(word.length) ?? [];
      bucket.push({ word, letters: lettersOf(word) });
      this.byLength.set(word.length, bucket);
    }
  }

  /** What each word may mean, alone or joined with its neighbours. The work is bounded for any number of words. */
  meaningsOf(words: readonly string[]): Meanings[] {
    let compared = 0;
    const nearest = (word: string): string[] => {
      if (compared >= MAX_COMPARED_WORDS) return [];
      compared += 1;
      return this.nearest(word);
    };
    return words.map((word, index) => {
      const phrase = PHRASES.get(word);
      if (phrase) return { exact: [[word]], uncertain: [phrase] };
      const joined = [words.slice(index - 1, index + 1), words.slice(index, index + 2)]
        .filter((pair) => pair.length === 2)
        .map((pair) => pair.join(''));
      const known = joined.filter((pair) => this.begins(pair)).map((pair) => [pair]);
      const exact = [[word], ...known, ...this.partsOf(word, (right) => this.has(right))];
      if (known.length > 0 || this.begins(word) || this.has(singularOf(word)))
        return { exact, uncertain: [] };
      const uncertain = [
        ...this.partsOf(word, (right) => right.length >= 4 && this.begins(right)),
        ...[word, ...joined].flatMap((one) => nearest(one).map((meant) => [meant])),
        ...this.partsWithTypingError(word, nearest),
      ];
      return { exact, uncertain: uncertain.slice(0, MAX_UNCERTAIN) };
    });
  }

  private has(word: string): boolean {
    return this.sorted[this.firstFrom(word)] === word;
  }

  /** Whether a word of the vocabulary begins with these letters. */
  private begins(start: string): boolean {
    return this.sorted[this.firstFrom(start)]?.startsWith(start) ?? false;
  }

  private firstFrom(word: string): number {
    let [low, high] = [0, this.sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.sorted[middle] ?? '') < word) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The parts of a joined word: `pullups` is `pull` and `up`, `benchpres` is `bench` and the beginning of a word. */
  private partsOf(word: string, isRight: (right: string) => boolean): string[][] {
    return [...new Set([word, singularOf(word)])]
      .flatMap(cutsOf)
      .filter(([left, right]) => this.has(left) && isRight(right))
      .slice(0, MAX_CUTS);
  }

  /** The same as `partsOf`, with a typing error in the second part. */
  private partsWithTypingError(word: string, nearest: (word: string) => string[]): string[][] {
    return cutsOf(word)
      .filter(([left, right]) => right.length >= 4 && this.has(left))
      .flatMap(([left, right]) => nearest(right).map((meant) => [left, meant]));
  }

  /**
   * At most six known words with the fewest edits. A word of up to 3 letters may have no edit, one of 4 to 6 letters one, a
   * longer one two.
   */
  private nearest(word: string): string[] {
    const found = new Map<string, number>();
    for (const one of new Set([word, singularOf(word)])) {
      const allowed = one.length < 4 ? 0 : one.length < 7 ? 1 : 2;
      const letters = lettersOf(one);
      for (let length = one.length - allowed; allowed > 0 && length <= one.length + allowed; length++)
        for (const known of this.byLength.get(length) ?? []) {
          // One edit removes and adds at most one letter: if more than `allowed` letters differ, the distance is greater.
          if (bits(letters & ~known.letters) > allowed || bits(known.letters & ~letters) > allowed) continue;
          const distance = editDistance(one, known.word, allowed);
          if (distance <= allowed)
            found.set(known.word, Math.min(distance, found.get(known.word) ?? distance));
        }
    }
    const least = Math.min(...found.values());
    return [...found]
      .filter(([, distance]) => distance === least)
      .slice(0, MAX_NEAREST)
      .map(([known]) => known);
  }
}

const byCodeUnits = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

const singularOf = (word: string): string =>
  word.length > 4 && word.endsWith('s') ? word.slice(0, -1) : word;

/** Every cut of a word into a first part of at least three letters and a second of at least two; the longest first part comes first. */
const cutsOf = (word: string): [string, string][] =>
  Array.from({ length: Math.max(0, word.length - 4) }, (_unused, index) => word.length - 2 - index).map(
    (cut) => [word.slice(0, cut), word.slice(cut)],
  );

/** The letters of a word as bits. Two characters may share a bit; the only effect is that more words are compared exactly. */
function lettersOf(word: string): number {
  let letters = 0;
  for (let index = 0; index < word.length; index++) letters |= 1 << (word.charCodeAt(index) & 31);
  return letters;
}

function bits(number: number): number {
  let count = 0;
  for (let rest = number; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}
