const sixDigits = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i;

/** The contrast of a colour, '#0d2747', with white, 1 to 21 (WCAG 2.2, "contrast ratio"). Undefined for what is none. */
export function contrastWithWhite(colour: string): number | undefined {
  const found = sixDigits.exec(colour);
  if (!found) return undefined;
  const [red = 0, green = 0, blue = 0] = found.slice(1).map((part) => luminance(Number.parseInt(part, 16) / 255));
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}

function luminance(part: number): number {
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}
