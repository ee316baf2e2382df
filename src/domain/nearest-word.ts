/**
 * The word that was probably meant: the one with the fewest changed letters, at most a third of them; undefined if there
 * is none. Capitals make no difference.
 */
export function nearestWord(written: string, words: readonly string[]): string | undefined {
  const changes = words.map((word) => ({ word, count: changedLetters(written.toLowerCase(), word.toLowerCase()) }));
  const [nearest] = changes.toSorted((one, other) => one.count - other.count);
  return nearest && nearest.count <= Math.floor(nearest.word.length / 3) ? nearest.word : undefined;
}

/** Levenshtein's distance: letters that are inserted, left out or replaced. */
function changedLetters(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const above = row;
    row = [i];
    for (let j = 1; j <= other.length; j++) {
      const replaced = (above[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      row[j] = Math.min(replaced, (above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
    }
  }
  return row[other.length] ?? 0;
}
