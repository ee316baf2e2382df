/** What a shell's terminal obeys instead of showing it: control characters (DEL and C1 too), marks that turn the direction, line ends. */
const steering = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A text of a till, a host, a device or a file for one line of a terminal: what would steer it is written out, '\u{9b}'. */
export function plainText(text: string): string {
  return text.replaceAll(steering, (each) => `\\u{${each.codePointAt(0)?.toString(16)}}`);
}

/** The same for a text of several lines. */
export function plainLines(text: string): string {
  return text.split('\n').map(plainText).join('\n');
}

/**
 * The same JSON without a character that steers a terminal: JSON itself leaves DEL, C1 and marks of direction as they are.
 * Only white space between its values may hold others.
 */
export function plainJson(json: string): string {
  return json.replaceAll(steering, (each) => {
    if (each === '\n' || each === '\t') return each;
    return each === '\r' ? ' ' : each.split('').map(unicodeEscape).join('');
  });
}

function unicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
