/**
 * Text in the cells of a receipt printer: one cell for a Latin character, two for a Chinese one. The unit is the
 * grapheme cluster (Unicode UAX #29), so an accent is never separated from its letter.
 */
let segmenter: Intl.Segmenter | undefined;

/** East Asian wide and full-width characters (Unicode UAX #11), and the characters shown as emoji. */
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;

/** Maximum length of a field in UTF-16 code units. Longer text comes from a faulty configuration or request. */
const lengthMax = 512;

/**
 * Makes text from a shop, a POS or a card safe to print: one line, single spaces, and without characters that a printer
 * or a page could take for a command: control characters (ESC, DLE, …), bidirectional overrides, private use.
 */
export function printable(text: string): string {
  return text.slice(0, lengthMax).normalize('NFC').replace(/\s+/gu, ' ').replace(/\p{C}/gu, '').trim();
}

export function graphemes(text: string): string[] {
  // Its rules are read when the first text is measured: 20 ms that no start has to wait for.
  segmenter ??= new Intl.Segmenter('und', { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Cells of one grapheme: 1 or 2. */
export function cellsOf(grapheme: string): 1 | 2 {
  return wide.test(grapheme) ? 2 : 1;
}

/** Cells of a text. */
export function cells(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  return graphemes(text).reduce((sum, grapheme) => sum + cellsOf(grapheme), 0);
}

/** Pads the text with spaces to `columns` cells. */
export function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - cells(text)));
}

/**
 * Breaks a text into lines of at most `columns` cells: between words, and inside a word only if the word alone is too
 * long.
 */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (cells(longer) <= columns) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    const pieces = breakWord(word, columns);
    line = pieces.pop() ?? '';
    lines.push(...pieces);
  }
  return [...lines, line];
}

function breakWord(word: string, columns: number): string[] {
  const pieces: string[] = [];
  let piece = '';
  let used = 0;
  for (const grapheme of graphemes(word)) {
    const width = cellsOf(grapheme);
    if (used + width > columns) {
      pieces.push(piece);
      piece = '';
      used = 0;
    }
    piece += grapheme;
    used += width;
  }
  return [...pieces, piece];
}
