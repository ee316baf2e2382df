/**
 * The probably intended word: the one with the fewest changed letters, at most a third of them; otherwise the shortest
 * with this beginning. Undefined if there is none. Capitals make no difference.
 */
export function nearestWord(written: string, words: readonly string[]): string | undefined {
  const small = written.toLowerCase();
  // A word that is much longer or shorter differs in more letters than are allowed.
  const near = words.filter((word) => Math.abs(small.length - word.length) <= Math.floor(word.length / 3));
  const changes = near.map((word) => ({ word, count: changedLetters(small, word.toLowerCase()) }));
  const [nearest] = changes.toSorted((one, other) => one.count - other.count);
  if (nearest && nearest.count <= Math.floor(nearest.word.length / 3)) return nearest.word;
  if (small.length < beginningMin) return undefined;
  const begun = words.filter((word) => word.toLowerCase().startsWith(small));
  return begun.toSorted((one, other) => one.length - other.length)[0];
}

/** Fewer letters begin too many words. */
const beginningMin = 3;

/** Letters that are inserted, left out, replaced or exchanged with the next (optimal string alignment). */
function changedLetters(one: string, other: string): number {
  let before: readonly number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const above = row;
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const replaced = (above[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      const isExchanged = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const exchanged = isExchanged ? (before[j - 2] ?? 0) + 1 : Infinity;
      next.push(Math.min(replaced, exchanged, (above[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = above;
    row = next;
  }
  return row[other.length] ?? 0;
}
