import { encodeTlv } from '../../../src/emv/tlv.ts';
import type { CardDecision, CardInterface, CollectRequest } from '../../../src/ports/card-reader.ts';
import type { PinRequest } from '../../../src/ports/pin-pad.ts';
import { armedInterfaces, transactionData, waitSeconds } from '../neo2/commands.ts';
import type { Command } from './message.ts';

/** Notifications: Programmer's Manual D998200597, chapter 7. */
export const notification = { card: 0x0101, transactionOver: 0x0105, pin: 0x0205 } as const;

/** Values that arm an interface in A3; 00 leaves it alone. 03 takes every contactless technology (mmsdemo.html). */
const armed: Readonly<Record<CardInterface, readonly [tag: string, value: number]>> = {
  stripe: ['81', 0x01],
  chip: ['82', 0x01],
  contactless: ['83', 0x03],
};

/** 1001: one card for this amount. As in the published example (mmsdemo.html), with this transaction's values. */
export function start(request: CollectRequest): Command {
  const interfaces = armedInterfaces(request);
  const told = transactionData(request);
  const object = (tag: string): [string, Uint8Array] => [tag, told.get(tag) ?? new Uint8Array()];
  return {
    id: 0x1001,
    parameters: [
      ['82', Uint8Array.of(waitSeconds(request.timeoutMs))],
      [
        'A3',
        encodeTlv(
          (['stripe', 'chip', 'contactless'] as const).map((name) => {
            const [tag, value] = armed[name];
            return [tag, Uint8Array.of(interfaces.has(name) ? value : 0x00)];
          }),
        ),
      ],
      ['84', Uint8Array.of(0x00, 0x03)],
      ['86', encodeTlv([object('9C'), object('9F02'), ['9F03', new Uint8Array(6)], object('5F2A')])],
    ],
  };
}

/** 1008, p.101: ends the transaction, or the PIN entry (assumed), that is under way. */
export const cancel: Command = { id: 0x1008, parameters: [] };

/** EMV 4.3 Book 4, Annex A6: unable to go online, declined. */
const unableToGoOnline = 'Z3';

/** What an issuer may tell its card: authentication data, and scripts before and after the second GENERATE AC. */
const issuerTags = ['91', '71', '72'] as const;

/**
 * 1004, "Resume transaction": what the card is told for its second GENERATE AC. The published example of the data has 8A alone;
 * that the issuer's objects stand beside it is assumed (fixtures/README.md). Unverified on hardware.
 */
export function resume(decision: CardDecision): Command {
  const asked = decision.kind !== 'unreachable';
  const objects: [tag: string, value: Uint8Array][] = [
    ['8A', responseCode(asked ? decision.responseCode : unableToGoOnline)],
  ];
  for (const tag of asked ? issuerTags : []) {
    const value = asked ? decision.issuerData.get(tag) : undefined;
    if (value) objects.push([tag, value]);
  }
  return {
    id: 0x1004,
    parameters: [
      ['81', Uint8Array.of(asked ? 0x00 : 0x01)],
      ['84', encodeTlv([['FA', encodeTlv([['70', encodeTlv(objects)]])]])],
    ],
  };
}

/** Format an 2: EMV 4.3 Book 3, Annex A, tag 8A. */
function responseCode(code: string): Uint8Array {
  if (!/^[0-9A-Za-z]{2}$/.test(code)) throw new RangeError('a response code has two characters');
  return Uint8Array.from(Buffer.from(code, 'latin1'));
}

/** ISO 9564-1, 8.1: a PIN has 4 to 12 digits. */
const pinDigits = { least: 4, most: 12 } as const;

/** 2001. Its parameters are assumed (fixtures/README.md) and have no place for the amount. Unverified on hardware. */
export function enterPin(request: Pick<PinRequest, 'timeoutMs' | 'again'>): Command {
  return {
    id: 0x2001,
    parameters: [
      ['81', Uint8Array.of(waitSeconds(request.timeoutMs))],
      ['82', Uint8Array.of(pinDigits.least)],
      ['83', Uint8Array.of(pinDigits.most)],
      ['84', Uint8Array.of(request.again ? 0x01 : 0x00)],
    ],
  };
}
