/**
 * The number of edits between two words; a swap of neighbouring letters is one edit (optimal string alignment). Packages
 * for the plain Levenshtein distance count a swap as two edits, so that a search for `benhc` would not find `bench`.
 * @param limit if the distance is greater, the result may be any number above the limit
 */
export function editDistance(one: string, other: string, limit = Number.POSITIVE_INFINITY): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_unused, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1];
      let best = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        best = Math.min(best, (beforeLast[j - 2] ?? 0) + 1);
      row.push(best);
    }
    if (limit < one.length + other.length && Math.min(...row) > limit) return limit + 1;
    beforeLast = last;
    last = row;
  }
  return last[other.length] ?? 0;
}
