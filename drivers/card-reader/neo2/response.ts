import type {
  CardInterface,
  CollectOutcome,
  CollectRequest,
  EncryptedCard,
} from '../../../src/base/ports/card-reader.ts';
import { DeviceError } from '../../../src/base/ports/device.ts';
import { cryptogramOf } from '../kept-data.ts';
import { protocolError } from '../protocol-error.ts';
import { armedInterfaces, refuseOther } from '../transaction-request.ts';
import { keptObjects, readObjects } from './card-data.ts';
import { readerError } from './card-objects.ts';
import { chipCard, magstripeCard } from './presented-card.ts';
import { status, statusText } from './status.ts';

/** Error codes in FFEE1F: IDG p.32. */
const outcomeOfError: ReadonlyMap<number, CollectOutcome> = new Map<number, CollectOutcome>([
  [0x21, { kind: 'tryAgain', reason: 'collision' }],
  [0x22, { kind: 'refused', reason: 'over-limit' }],
  [0x24, { kind: 'tryAgain', reason: 'read-error' }],
  [0x25, { kind: 'refused', reason: 'blocked' }],
  [0x26, { kind: 'refused', reason: 'expired' }],
  [0x27, { kind: 'refused', reason: 'unsupported' }],
  [0x30, { kind: 'tryAgain', reason: 'card-lost' }],
]);

const genericError = 0x62;

/** Second byte of FFEE1F after a generic error: assumed (fixtures/README.md), unverified on hardware. */
const outcomeOfGenericError: ReadonlyMap<number, CollectOutcome> = new Map<number, CollectOutcome>([
  [0x07, { kind: 'tryAgain', reason: 'use-magstripe' }],
  [0x08, { kind: 'tryAgain', reason: 'use-chip' }],
]);

/**
 * Reads the answer to 02-40. Throws DeviceError 'protocol' if it breaks the protocol, has another amount than
 * `request`, or comes from an interface that was not armed; 'refused' for a status that is no outcome. The caller owns
 * `data` and overwrites it; only copies of permitted objects are kept.
 */
export function collectOutcome(code: number, data: Uint8Array, request: CollectRequest): CollectOutcome {
  switch (code) {
    case status.ok:
    case status.requestOnline:
      return cardOutcome(code, data, request);
    case status.timeout:
      return { kind: 'timeout' };
    case status.failed:
      return failure(readerError(data));
    case status.badHeader:
    case status.crcError:
      // The command was damaged on the wire, and the reader was never armed.
      return { kind: 'tryAgain', reason: 'read-error' };
    default:
      throw new DeviceError('refused', `reader answered 02-40 with status ${statusText(code)}`);
  }
}

function failure(bytes: Uint8Array): CollectOutcome {
  const [code, detail] = [bytes[0] ?? 0, bytes[1] ?? 0];
  const found = code === genericError ? outcomeOfGenericError.get(detail) : outcomeOfError.get(code);
  // An unknown error allows another try: the request's own time-out ends the tries.
  return found ?? { kind: 'tryAgain', reason: 'read-error' };
}

/**
 * The first byte of the data: IDG p.232-233. Bits 7 and 6 say whether card data is encrypted for chip and for
 * magstripe. The document does not say clearly which bit is which, so both must be set.
 */
const attribution = { encrypted: 0xc0, origin: 0x19, scheme: 0x06, tdes: 0x00, aes: 0x02 };

/** Bits 4, 3 and 0: 000 contact, 001 contactless, 101 contactless in magstripe mode, 01x magstripe. */
const originOf: ReadonlyMap<number, CardInterface | 'contactless-magstripe'> = new Map([
  [0x00, 'chip'],
  [0x01, 'contactless'],
  [0x11, 'contactless-magstripe'],
  [0x08, 'magstripe'],
  [0x09, 'magstripe'],
]);

function cardOutcome(code: number, data: Uint8Array, request: CollectRequest): CollectOutcome {
  const first = data[0];
  if (first === undefined) throw protocolError('no data');
  const objects = readObjects(data.subarray(1));
  if ((first & attribution.encrypted) !== attribution.encrypted) throw protocolError('encryption is off');
  const origin = originOf.get(first & attribution.origin);
  const used = origin === 'contactless-magstripe' ? 'contactless' : origin;
  if (used === undefined || !armedInterfaces(request).has(used)) {
    throw protocolError('an interface that was not armed');
  }
  // Magnetic-stripe mode over contactless has no cryptogram for the issuer to check.
  if (origin === 'contactless-magstripe') return { kind: 'refused', reason: 'unsupported' };
  const emv = keptObjects(objects);
  refuseOther(request, emv);
  if (used === 'magstripe') return { kind: 'card', card: magstripeCard(schemeOf(first), objects, emv) };
  const cryptogram = cryptogramOf(emv);
  switch (cryptogram) {
    case 'AAC':
      return { kind: 'refused', reason: 'declined' };
    case 'ARQC':
      // With any other status the reader has ended the chip's transaction, and accepts no decision for it.
      if (used === 'chip' && code !== status.requestOnline) throw protocolError('a chip that does not wait');
      return { kind: 'card', card: chipCard(used === 'chip' ? 'CHIP' : 'CONTACTLESS', schemeOf(first), objects, emv) };
    case 'TC':
      // The card approved offline. This terminal accepts only online approvals, so it must not lead to a payment.
      return { kind: 'refused', reason: 'unsupported' };
    default:
      return cryptogram satisfies never;
  }
}

function schemeOf(attributes: number): EncryptedCard['scheme'] {
  switch (attributes & attribution.scheme) {
    case attribution.tdes:
      return 'TDES-DUKPT';
    case attribution.aes:
      return 'AES-DUKPT';
    default:
      throw protocolError('an unknown encryption mode');
  }
}
