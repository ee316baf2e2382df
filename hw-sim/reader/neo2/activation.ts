import { decodeObjects } from '../../card/tlv.ts';

/** What 02-40 asks for (IDG p.209 f.). */
export interface Activation {
  readonly timeoutMs: number;
  readonly amountMinor: bigint;
  readonly amountOtherMinor: bigint;
  /** 9C: '00' purchase, '20' refund. */
  readonly transactionType: string;
  /** 5F2A in four digits. */
  readonly currencyNumeric: string;
}

/** DFEF37 chooses the interfaces: bit 0 magnetic stripe, bit 1 contactless, bit 2 contact (VP3350 user manual, 7.1). */
const contactlessInterface = 0x02;

/**
 * Reads the data of 02-40: a time-out in seconds, one byte, then data objects. A sentence of what is wrong otherwise.
 * The amount (9F02) is needed; currency and type are the reader's setting where the command has none.
 */
export function parseActivation(data: Buffer, currencyNumeric: string): Activation | string {
  const seconds = data[0];
  if (seconds === undefined) return '02-40 without a time-out';
  if (seconds === 0) return '02-40 with a time-out of 0 s';
  const objects = decodeObjects(data.subarray(1));
  if (objects === undefined) return '02-40 with data that is no list of data objects';
  const byTag = new Map(objects.map(({ tag, value }) => [tag, value]));
  if (byTag.size !== objects.length) return '02-40 names a tag twice';
  const interfaces = byTag.get('DFEF37');
  // This reader is contactless only, so it would wait for nothing.
  if (interfaces !== undefined && ((interfaces[0] ?? 0) & contactlessInterface) === 0) {
    return '02-40 leaves out the contactless interface';
  }
  const amount = digits(byTag.get('9F02'), 12);
  const other = digits(byTag.get('9F03') ?? Buffer.alloc(6), 12);
  const type = digits(byTag.get('9C') ?? Buffer.alloc(1), 2);
  const currency = digits(byTag.get('5F2A') ?? Buffer.from(currencyNumeric, 'hex'), 4);
  if (amount === undefined) return '02-40 without an amount in 9F02';
  if (other === undefined || type === undefined || currency === undefined) return '02-40 with digits that are none';
  return {
    timeoutMs: seconds * 1000,
    amountMinor: BigInt(amount),
    amountOtherMinor: BigInt(other),
    transactionType: type,
    currencyNumeric: currency,
  };
}

function digits(value: Buffer | undefined, length: number): string | undefined {
  const text = value?.toString('hex');
  return text?.length === length && /^\d+$/.test(text) ? text : undefined;
}
