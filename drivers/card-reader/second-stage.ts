import type { CardCompletion, CardDecision, EmvData } from '../../src/base/ports/card-reader.ts';
import { cryptogramOf } from './device-lane.ts';
import { protocolError } from './protocol-error.ts';

/** EMV 4.3 Book 4, Annex A6: unable to go online, declined. */
const unableToGoOnline = 'Z3';

/** Issuer data for the card: authentication data, and scripts before and after the second GENERATE AC. */
const issuerTags = ['91', '71', '72'] as const;

/**
 * The objects for a waiting chip's second GENERATE AC: 8A, then the issuer's. RangeError if 8A is not two characters.
 */
export function decisionObjects(decision: CardDecision): [tag: string, value: Uint8Array][] {
  const asked = decision.kind !== 'unreachable';
  const objects: [tag: string, value: Uint8Array][] = [
    ['8A', responseCode(asked ? decision.responseCode : unableToGoOnline)],
  ];
  for (const tag of asked ? issuerTags : []) {
    const value = asked ? decision.issuerData.get(tag) : undefined;
    if (value) objects.push([tag, value]);
  }
  return objects;
}

/** Format an 2: EMV 4.3 Book 3, Annex A, tag 8A. */
function responseCode(code: string): Uint8Array {
  if (!/^[0-9A-Za-z]{2}$/.test(code)) throw new RangeError('a response code has two characters');
  return Uint8Array.from(Buffer.from(code, 'latin1'));
}

/** Tags that are kept of the second GENERATE AC, with their lengths: EMV 4.3 Book 3, Annex A. */
const secondGenerateAc: ReadonlyMap<string, number> = new Map([
  ['9F26', 8],
  ['9F27', 1],
  ['95', 5],
  ['9B', 2],
]);

/**
 * The outcome of a chip's second GENERATE AC. 'agreed' needs three approvals: of the host, the card's TC, and the
 * reader's result. `result` is undefined if the reader's code is unknown. Throws DeviceError 'protocol'.
 */
export function completionOf(
  card: EmvData,
  result: 'approved' | 'declined' | undefined,
  decision: CardDecision,
): CardCompletion {
  const emv = new Map([...card].filter(([tag]) => secondGenerateAc.has(tag)));
  for (const [tag, value] of emv)
    if (value.length !== secondGenerateAc.get(tag)) throw protocolError(`tag ${tag} is cut short`);
  const cryptogram = cryptogramOf(emv);
  if (cryptogram === 'ARQC') throw protocolError('a second ARQC');
  switch (result) {
    case 'declined':
      return { kind: 'refused', emv };
    case 'approved':
      if (cryptogram === 'AAC') return { kind: 'refused', emv };
      if (decision.kind !== 'approved') throw protocolError('an approval that the host did not give');
      return { kind: 'agreed', emv };
    case undefined:
      throw protocolError('an unknown result');
    default:
      return result satisfies never;
  }
}
