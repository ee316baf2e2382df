import { numericCode } from '../../src/base/domain/currency.ts';
import type { CardInterface, CollectRequest, EmvData } from '../../src/base/ports/card-reader.ts';
import { protocolError } from './protocol-error.ts';
import { cardBrand } from '../../src/codecs/emv/aid.ts';

/** The time-outs of NEO2's 02-40 and 62-01, and of MMS's 1001 and 2001, are one byte of seconds. */
const secondsMax = 255;

/** Whole seconds that a reader waits for a customer: never less than asked for, at least 1, at most 255. */
export function waitSeconds(timeoutMs: number): number {
  return Math.min(secondsMax, Math.max(1, Math.ceil(timeoutMs / 1000)));
}

/** The interfaces that a request arms: only contactless if it names none. */
export function armedInterfaces({ interfaces = [] }: Pick<CollectRequest, 'interfaces'>): ReadonlySet<CardInterface> {
  return new Set(interfaces.length > 0 ? interfaces : ['contactless']);
}

/** The transaction data that the answer must repeat: amount, type, currency. */
export function transactionData(request: Pick<CollectRequest, 'amount' | 'type'>): Map<string, Uint8Array> {
  return new Map([
    ['9F02', packDigits(request.amount.minor.toString(), 6)],
    ['9C', Uint8Array.of(request.type === 'refund' ? 0x20 : 0x00)],
    ['5F2A', packDigits(numericCode(request.amount.currency), 2)],
  ]);
}

/** Throws DeviceError 'protocol' if the card data belongs to another transaction than `request`. */
export function refuseOther(request: Pick<CollectRequest, 'amount' | 'type'>, emv: EmvData): void {
  for (const [tag, value] of transactionData(request)) {
    const given = emv.get(tag);
    if (given && Buffer.compare(given, value) !== 0) throw protocolError(`another ${tag} than requested`);
  }
}

/** Decimal digits, two a byte, zeros on the left: format n of EMV 4.3 Book 3, 4.3. */
function packDigits(digits: string, bytes: number): Uint8Array {
  if (!/^\d+$/.test(digits) || digits.length > bytes * 2)
    throw new RangeError(`not a number of at most ${bytes * 2} digits`);
  return Uint8Array.from(Buffer.from(digits.padStart(bytes * 2, '0'), 'hex'));
}

interface CardApplication {
  /** Upper-case hex. */
  readonly aid: string;
  /** Preferred name, otherwise label, brand, or the identifier itself. */
  readonly appName: string;
}

/** The application of the card that was used. Throws DeviceError 'protocol' if the data does not name it. */
export function cardApplication(emv: EmvData): CardApplication {
  const aid = Buffer.from(emv.get('84') ?? emv.get('4F') ?? [])
    .toString('hex')
    .toUpperCase();
  if (aid === '') throw protocolError('no application identifier');
  return { aid, appName: printable(emv.get('9F12')) ?? printable(emv.get('50')) ?? cardBrand(aid) ?? aid };
}

/** A name for the receipt, up to 16 characters (EMV 4.3 Book 3, Annex A1). Undefined unless printable ASCII. */
function printable(value: Uint8Array | undefined): string | undefined {
  const text = value ? Buffer.from(value).toString('latin1').trim() : '';
  return /^[\x20-\x7e]{1,16}$/.test(text) ? text : undefined;
}
