import type { CardInterface } from '../../card/card.ts';
import { decodeObjects } from '../../card/tlv.ts';
import { type Activation, digitsOf } from '../activation.ts';

/** DFEF37 chooses the interfaces, one bit each (VP3350 user manual, 7.1). */
const interfaceBits = { stripe: 0x01, contactless: 0x02, chip: 0x04 } as const satisfies Record<CardInterface, number>;
const allInterfaceBits = 0x07;

/**
 * Reads the data of 02-40: a time-out in seconds, one byte, then data objects. Otherwise a sentence that says what is
 * wrong. The amount (9F02) is required; currency and type default to the reader's settings.
 */
export function parseActivation(data: Buffer, currencyNumeric: string): Activation | string {
  const seconds = data[0];
  if (seconds === undefined) return '02-40 without a time-out';
  if (seconds === 0) return '02-40 with a time-out of 0 s';
  const objects = decodeObjects(data.subarray(1));
  if (objects === undefined) return '02-40 with data that is no list of data objects';
  const byTag = new Map(objects.map(({ tag, value }) => [tag, value]));
  if (byTag.size !== objects.length) return '02-40 names a tag twice';
  const interfaces = interfacesOf(byTag.get('DFEF37'));
  const afterwards = afterwardsOf(byTag.get('DFEF3C'));
  if (interfaces === undefined) return '02-40 with a DFEF37 that names no interface, or one that there is not';
  if (afterwards === undefined) return '02-40 with a DFEF3C that is none';
  const amount = digitsOf(byTag.get('9F02'), 12);
  const other = digitsOf(byTag.get('9F03') ?? Buffer.alloc(6), 12);
  const type = digitsOf(byTag.get('9C') ?? Buffer.alloc(1), 2);
  const currency = digitsOf(byTag.get('5F2A') ?? Buffer.from(currencyNumeric, 'hex'), 4);
  if (amount === undefined) return '02-40 without an amount in 9F02';
  if (other === undefined || type === undefined || currency === undefined) return '02-40 with digits that are none';
  return {
    timeoutMs: seconds * 1000,
    interfaces,
    ...afterwards,
    amountMinor: BigInt(amount),
    amountOtherMinor: BigInt(other),
    transactionType: type,
    currencyNumeric: currency,
  };
}

/** Assumed: only contactless if 02-40 does not say. */
function interfacesOf(value: Buffer = Buffer.of(interfaceBits.contactless)): CardInterface[] | undefined {
  const bits = value[0] ?? 0;
  if (value.length !== 1 || bits === 0 || (bits & ~allInterfaceBits) !== 0) return undefined;
  return (['contactless', 'chip', 'stripe'] as const).filter((name) => (bits & interfaceBits[name]) !== 0);
}

/**
 * DFEF3C: whether fallback to the stripe is allowed, and in two bytes how many seconds the reader waits for the next
 * command of a chip's transaction (VP3350 user manual, 7.1). Assumed: fallback and no limit if 02-40 does not say.
 */
function afterwardsOf(value: Buffer | undefined): Pick<Activation, 'fallback' | 'decisionTimeoutMs'> | undefined {
  if (value === undefined) return { fallback: true };
  const fallback = value[0] ?? 0;
  if (value.length !== 3 || fallback > 1) return undefined;
  const seconds = value.readUInt16BE(1);
  return { fallback: fallback === 1, ...(seconds > 0 && { decisionTimeoutMs: seconds * 1000 }) };
}
