import { encodeTlv } from '../../../src/codecs/emv/tlv.ts';
import type { CardDecision, CardInterface, CollectRequest } from '../../../src/base/ports/card-reader.ts';
import type { PinRequest } from '../../../src/base/ports/pin-pad.ts';
import { pinDigits } from '../pin-digits.ts';
import { decisionObjects } from '../second-stage.ts';
import { armedInterfaces, transactionData, waitSeconds } from '../transaction-request.ts';
import type { Command } from './message.ts';

/** Notifications: Programmer's Manual D998200597, chapter 7. */
export const notification = { card: 0x0101, transactionOver: 0x0105, pin: 0x0205 } as const;

/** Values that arm an interface in A3; 00 does not. 03 arms every contactless technology (mmsdemo.html). */
const armed: Readonly<Record<CardInterface, readonly [tag: string, value: number]>> = {
  magstripe: ['81', 0x01],
  chip: ['82', 0x01],
  contactless: ['83', 0x03],
};

/**
 * Transaction options (D100005000, Table 68). Bit 0 off: EMV flow, in which the device waits for 1004. Bit 1: DynaPro
 * formats. The published examples have bit 0 on, Quick Chip: then the device answers the card itself, and no issuer
 * data reaches it.
 */
const emvFlow = Uint8Array.of(0x00, 0x02);

/** 1001: one card for this amount. */
export function start(request: CollectRequest): Command {
  const interfaces = armedInterfaces(request);
  const data = transactionData(request);
  const object = (tag: string): [string, Uint8Array] => [tag, data.get(tag) ?? new Uint8Array()];
  return {
    id: 0x1001,
    parameters: [
      ['82', Uint8Array.of(waitSeconds(request.timeoutMs))],
      [
        'A3',
        encodeTlv(
          (['magstripe', 'chip', 'contactless'] as const).map((name) => {
            const [tag, value] = armed[name];
            return [tag, Uint8Array.of(interfaces.has(name) ? value : 0x00)];
          }),
        ),
      ],
      ['84', emvFlow],
      ['86', encodeTlv([object('9C'), object('9F02'), ['9F03', new Uint8Array(6)], object('5F2A')])],
    ],
  };
}

/** 1008, p.101: ends the current transaction. */
export const cancel: Command = { id: 0x1008, parameters: [] };

/** From the published example of 1004. The manual's table does not have it. */
const resumeSeconds = 0x78;

/**
 * 1004, "Resume transaction": the data for the card's second GENERATE AC (D100005000, Tables 74, 76 and 4.61). `serial`
 * is the device's, from its card data. The only published code of 81 is 00. Assumed: Z3 means that the host could not
 * be reached, as in the device's own Quick Chip flow (p.94). Unverified on hardware.
 */
export function resume(decision: CardDecision, serial: Uint8Array): Command {
  return {
    id: 0x1004,
    parameters: [
      ['81', Uint8Array.of(0x00)],
      ['82', Uint8Array.of(resumeSeconds)],
      [
        '84',
        encodeTlv([
          [
            'FF74',
            encodeTlv([
              ['DFDF25', serial],
              ['FA', encodeTlv([['70', encodeTlv(decisionObjects(decision))]])],
            ]),
          ],
        ]),
      ],
    ],
  };
}

/** ISO 9564-1 format 0, and how many digits of the card number it contains. */
const blockFormat0 = 0x00;
const accountDigits = 12;

/** Texts of the pad (D100005000, Table 172). */
const sequence = { enter: 0x00, wrongTryAgain: 0x02, cancelSession: 0xfd } as const;

/**
 * 2001. Its layout is published; assumed: it works without a card number (fixtures/README.md). Unverified on hardware.
 */
export function enterPin(request: Pick<PinRequest, 'timeoutMs' | 'again'>): Command {
  return pinCommand(waitSeconds(request.timeoutMs), request.again ? sequence.wrongTryAgain : sequence.enter);
}

/** The 2001 that ends a PIN entry: 1008 ends only transactions. */
export const endPin: Command = pinCommand(1, sequence.cancelSession);

function pinCommand(seconds: number, shown: number): Command {
  return {
    id: 0x2001,
    parameters: [
      ['81', Uint8Array.of(seconds)],
      ['82', Uint8Array.of(shown)],
      ['83', Uint8Array.of(pinDigits.most, pinDigits.least)],
      ['85', Uint8Array.of(blockFormat0)],
      ['A1', encodeTlv([['81', Uint8Array.of(accountDigits)]])],
    ],
  };
}
