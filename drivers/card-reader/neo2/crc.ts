/**
 * CRC-16/CCITT-FALSE (NEO 2 Interface Developer's Guide 80139403-002, p.60): polynomial 1021, initial FFFF, nothing
 * reflected.
 */
const polynomial = 0x1021;
const initial = 0xffff;

/** The maximum length of a part whose CRC `crcOfPart` computes. */
const partBytesMax = 4_096;

/** The register multiplied by x, modulo the polynomial. */
function timesX(register: number): number {
  return (register & 0x8000) === 0 ? register << 1 : ((register << 1) & 0xffff) ^ polynomial;
}

const ofByte = Uint16Array.from({ length: 256 }, (_, byte) => {
  let register = byte << 8;
  for (let bit = 0; bit < 8; bit++) register = timesX(register);
  return register;
});

/** The register after one more byte. */
export function nextCrc(register: number, byte: number): number {
  return ((register << 8) & 0xffff) ^ (ofByte[(register >> 8) ^ byte] ?? 0);
}

export function crc16(bytes: Uint8Array): number {
  let register = initial;
  for (const byte of bytes) register = nextCrc(register, byte);
  return register;
}

/** Element n is x to the power of 8n: the factor by which n zero bytes multiply the register. */
const powers = new Uint16Array(partBytesMax + 1);
powers[0] = 1;
for (let n = 1; n < powers.length; n++) powers[n] = nextCrc(powers[n - 1] ?? 0, 0);

/**
 * The CRC of the `count` bytes between two states of the register, in constant time. The CRC is linear: `after` is the
 * sum of the register after the same bytes from zero, and of `before` multiplied by a power of x.
 */
export function crcOfPart(before: number, after: number, count: number): number {
  const power = powers[count];
  if (power === undefined) throw new RangeError(`a part of ${count} bytes`);
  return after ^ product(before ^ initial, power);
}

function product(one: number, other: number): number {
  let sum = 0;
  for (let bit = 15; bit >= 0; bit--) sum = timesX(sum) ^ (((other >> bit) & 1) === 0 ? 0 : one);
  return sum;
}
