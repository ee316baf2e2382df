/** DER (ITU-T X.690), as far as certificates need it. */
export function element(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const octets: number[] = [];
  for (let rest = content.length; rest > 0; rest = Math.floor(rest / 256)) octets.unshift(rest % 256);
  const size = content.length < 128 ? [content.length] : [128 + octets.length, ...octets];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

export const list = (...parts: readonly Uint8Array[]): Buffer => element(0x30, ...parts);
export const oneOf = (...parts: readonly Uint8Array[]): Buffer => element(0x31, ...parts);
export const octetString = (content: Uint8Array): Buffer => element(0x04, content);
export const text = (content: string): Buffer => element(0x0c, Buffer.from(content, 'utf8'));
export const truth: Buffer = element(0x01, Buffer.from([0xff]));

/** A string of bits. `unused`: the number of unused bits in its last byte. */
export const bitString = (content: Uint8Array, unused = 0): Buffer => element(0x03, Buffer.from([unused]), content);

/** A number that is not negative. */
export function whole(content: Uint8Array): Buffer {
  return element(0x02, (content[0] ?? 0) < 128 ? content : Buffer.concat([Buffer.alloc(1), content]));
}

/** An object identifier in dotted form. */
export function identifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...others] = dotted.split('.').map(Number);
  const digits = (arc: number): number[] => (arc < 128 ? [arc] : [...digits(Math.floor(arc / 128)), arc % 128]);
  const bytes = [first * 40 + second, ...others].flatMap((arc) => {
    const all = digits(arc);
    return all.map((each, at) => (at < all.length - 1 ? each + 128 : each));
  });
  return element(0x06, Buffer.from(bytes));
}

/** UTCTime, for the years 1950 to 2049. */
export function utcTime(at: Date): Buffer {
  const digits = at.toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  return element(0x17, Buffer.from(digits.slice(2)));
}
