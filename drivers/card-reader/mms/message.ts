import { encodeTlv, TlvError, tlvMap } from '../../../src/codecs/emv/tlv.ts';

/**
 * MMS messages: AA, version 00, then data objects (MagTek DynaFlex II Go Programmer's Manual D998200597, p.32-40). 81
 * is the header: type, reference, id (2). 82 of an answer is its summary and detail (3), 82 of a notification its
 * technology and detail (3). 84 is the payload.
 */
const start = Uint8Array.of(0xaa, 0x00);

const type = { request: 0x01, response: 0x82, notification: 0x83, deviceRequest: 0x81, file: 0x84 } as const;

/** A message of the device. `data` is 84, empty if missing; the receiver overwrites it if it may be card data. */
export type Message =
  | {
      readonly kind: 'response';
      readonly reference: number;
      readonly id: number;
      /** p.33: 00 done, 01 started, 40 and 41 the same with warnings, 80 failed to start, 81 failed. */
      readonly summary: number;
      /** Six upper-case hex digits. */
      readonly detail: string;
      readonly data: Uint8Array;
    }
  | {
      readonly kind: 'notification';
      readonly id: number;
      /** In a notification about a card: 08 magstripe, 10 contact, 20 contactless (p.152). */
      readonly technology: number;
      readonly detail: string;
      readonly data: Uint8Array;
    }
  /** Files, and requests of the device: this terminal uses neither. */
  | { readonly kind: 'other' };

/** One command: the id is repeated as the first two bytes of the payload. */
export interface Command {
  readonly id: number;
  /** Data objects after the id. */
  readonly parameters: Iterable<readonly [tag: string, value: Uint8Array]>;
}

export function encodeRequest(reference: number, { id, parameters }: Command): Uint8Array {
  const idBytes = [id >> 8, id & 0xff];
  const body = encodeTlv([
    ['81', Uint8Array.of(type.request, reference, ...idBytes)],
    ['84', Buffer.concat([Uint8Array.from(idBytes), encodeTlv(parameters)])],
  ]);
  return Buffer.concat([start, body]);
}

/** Returns copies; undefined if the bytes are not a message. */
export function decodeMessage(bytes: Uint8Array): Message | undefined {
  if (bytes[0] !== start[0] || bytes[1] !== start[1]) return undefined;
  const objects = objectsOf(bytes.subarray(start.length));
  const information = objects?.get('81');
  if (!objects || information?.length !== 4) return undefined;
  const [direction, reference = 0, high = 0, low = 0] = information;
  const id = (high << 8) | low;
  const data = objects.get('84') ?? new Uint8Array();
  const code = objects.get('82');
  switch (direction) {
    case type.response:
    case type.notification: {
      const [first] = code ?? [];
      if (code?.length !== 4 || first === undefined) return wipe(data);
      const detail = Buffer.from(code.subarray(1)).toString('hex').toUpperCase();
      return direction === type.response
        ? { kind: 'response', reference, id, summary: first, detail, data }
        : { kind: 'notification', id, technology: first, detail, data };
    }
    case type.deviceRequest:
    case type.file:
      wipe(data);
      return { kind: 'other' };
    default:
      return wipe(data);
  }
}

function wipe(data: Uint8Array): undefined {
  data.fill(0);
}

function objectsOf(bytes: Uint8Array): Map<string, Uint8Array> | undefined {
  try {
    return tlvMap(bytes);
  } catch (error) {
    if (error instanceof TlvError) return undefined;
    throw error;
  }
}
