import type { CardInterface } from '../../card/card.ts';
import { type Activation, digitsOf } from '../activation.ts';
import { objectsByTag } from './objects.ts';

/** Objects of A3, one for each interface, with the value for on. 03 is contactless with NFC tags. */
const readers = [
  { tag: '83', name: 'contactless', on: [0x01, 0x03] },
  { tag: '82', name: 'chip', on: [0x01] },
  { tag: '81', name: 'stripe', on: [0x01] },
] as const satisfies readonly { tag: string; name: CardInterface; on: readonly number[] }[];

/**
 * Transaction options (Table 68): EMV flow, DynaPro formats. Bit 0, Quick Chip, would leave no card waiting for its
 * issuer.
 */
const options = '0002';

/**
 * Reads the payload of 1001, in the layout of the published example (fixtures/README.md): 82 time-out in seconds, A3
 * the interfaces, 84 options, 86 the transaction's data objects. Otherwise a sentence that says what is wrong.
 */
export function parseStart(payload: Buffer): Activation | string {
  const objects = objectsByTag(payload, ['82', 'A3', '84', '86'], '1001');
  if (typeof objects === 'string') return objects;
  const seconds = objects.get('82');
  if (seconds?.length !== 1 || seconds[0] === 0) return '1001 with a time-out that is none';
  if (objects.get('84')?.toString('hex') !== options) return '1001 with options that this reader does not have';
  const interfaces = interfacesOf(objects.get('A3'));
  if (typeof interfaces === 'string') return interfaces;
  const terms = objectsByTag(objects.get('86'), ['9C', '9F02', '9F03', '5F2A'], '86 of 1001');
  if (typeof terms === 'string') return terms;
  const amount = digitsOf(terms.get('9F02'), 12);
  const other = digitsOf(terms.get('9F03'), 12);
  const transactionType = digitsOf(terms.get('9C'), 2);
  const currencyNumeric = digitsOf(terms.get('5F2A'), 4);
  if (amount === undefined || other === undefined || transactionType === undefined || currencyNumeric === undefined) {
    return '1001 with digits that are none';
  }
  return {
    timeoutMs: (seconds[0] ?? 0) * 1000,
    interfaces,
    fallback: true,
    amountMinor: BigInt(amount),
    amountOtherMinor: BigInt(other),
    transactionType,
    currencyNumeric,
  };
}

function interfacesOf(value: Buffer | undefined): CardInterface[] | string {
  const tags = readers.map(({ tag }) => tag);
  const modes = objectsByTag(value, tags, 'A3 of 1001');
  if (typeof modes === 'string') return modes;
  const armed: CardInterface[] = [];
  for (const { tag, name, on } of readers) {
    const mode = modes.get(tag);
    const known: readonly number[] = [0x00, ...on];
    if (mode?.length !== 1 || !known.includes(mode.readUInt8(0)))
      return `1001 with a mode that the ${name} reader does not have`;
    if (mode[0] !== 0x00) armed.push(name);
  }
  return armed.length === 0 ? '1001 that arms no interface' : armed;
}
