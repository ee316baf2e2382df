/**
 * Characters that a shell's terminal executes instead of showing: control characters (DEL and C1 too), direction marks,
 * line ends.
 */
const steering = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A text of a till, a host, a device or a file for one line of a terminal: such characters are escaped, '\u{9b}'. */
export function plainText(text: string): string {
  return text.replaceAll(steering, (each) => `\\u{${each.codePointAt(0)?.toString(16)}}`);
}

/** The same for a text of several lines. */
export function plainLines(text: string): string {
  return text.split('\n').map(plainText).join('\n');
}

/**
 * The same JSON with these characters escaped: JSON itself does not escape DEL, C1 and direction marks. Only white
 * space between its values may hold others.
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
