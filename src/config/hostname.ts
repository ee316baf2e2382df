import { isIP } from 'node:net';

/** A name, a dotted address, or an address of version 6 in brackets: no scheme, port, path, user or wildcard. */
const written = /^(?:[\p{L}\p{N}\p{M}._-]+|\[[0-9a-f:.]+\])$/iu;
const labelMax = 63;
const nameMax = 253;

/**
 * A host name as a client's Host header has it (RFC 9110, 7.2): in lower case and in ASCII. Undefined if no Host header can have that name.
 */
export function canonicalHostname(text: string): string | undefined {
  const name = text.trim();
  if (!written.test(name) || !URL.canParse(`http://${name}`)) return undefined;
  const { hostname } = new URL(`http://${name}`);
  // A name that ends in a number is read as an address: 10.1 is 10.0.0.1. What is meant is written whole.
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return hostname === name.toLowerCase() ? hostname : undefined;
  // The dot of the root may stand: a browser sends it where its user has typed it.
  const labels = hostname.replace(/\.$/, '').split('.');
  const isName = labels.every((label) => label.length > 0 && label.length <= labelMax);
  return isName && hostname.length <= nameMax ? hostname : undefined;
}
