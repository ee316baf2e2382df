const [quote, backslash, comma, openBracket, openBrace] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b];

/**
 * Whether a JSON text may have more than so many values: each comma and each bracket outside of strings begins one. It
 * takes a small part of the time of a parser, which makes an object of each.
 */
export function exceedsValues(text: string, most: number): boolean {
  let count = 1;
  let isString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isString) {
      if (code === backslash) at += 1;
      else if (code === quote) isString = false;
    } else if (code === quote) isString = true;
    else if (code === comma || code === openBracket || code === openBrace) {
      count += 1;
      if (count > most) return true;
    }
  }
  return count > most;
}
