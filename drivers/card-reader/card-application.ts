import { cardBrand } from '../../src/codecs/emv/aid.ts';
import type { EmvData } from '../../src/base/ports/card-reader.ts';
import { protocolError } from './protocol-error.ts';

export interface CardApplication {
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
