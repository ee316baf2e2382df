/**
 * Whether a text is an origin exactly as a browser's Origin header has it (RFC 6454, 6.1). Anything else would never
 * match: a path, capitals, a port that is the default; or it would match too much: `*`, and `null` of every sandbox.
 */
export function isWebOrigin(text: string): boolean {
  // Apps that are pages have schemes of their own: capacitor://localhost.
  const [, scheme = ''] = /^([a-z][a-z0-9+.-]*):\/\/[^/?#@\s*]+$/.exec(text) ?? [];
  if (scheme === 'http' || scheme === 'https') return URL.canParse(text) && new URL(text).origin === text;
  return scheme !== '' && scheme !== 'file' && text === text.toLowerCase();
}
