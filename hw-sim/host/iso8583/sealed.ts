import { timingSafeEqual } from 'node:crypto';
import { type HostMac, messageMac } from '../../crypto/message-mac.ts';
import type { HostWire } from './host-wire.ts';
import { MalformedMessage } from './message.ts';

/** What a host and its terminals have agreed on: field 64 of every message authenticates all before it. */
export interface Agreed {
  readonly algorithm: HostMac;
  readonly key: Buffer;
}

const macBytes = 8;
/** Message type and bitmap: two bytes, then eight, of which the last has bit 64. */
const lastBitmapByte = 9;

/** The same wire, whose messages have a code. A request without a right one is none. */
export function sealedWire(wire: HostWire, agreed: Agreed): HostWire {
  return {
    ...wire,
    read(bytes) {
      const { mti, fields } = wire.read(bytes);
      if (!isSealed(bytes, agreed)) throw new MalformedMessage(64, 'no right authentication code');
      // It says nothing to the books.
      return { mti, fields: new Map([...fields].filter(([field]) => field !== 64)) };
    },
    write: (answer, request, mode) => sealed(wire.write(answer, request, mode), agreed, mode.wrongMac),
  };
}

/** The message with its code. `wrong`: with another one. */
function sealed(message: Buffer, { algorithm, key }: Agreed, wrong = false): Buffer {
  const marked = Buffer.from(message);
  marked.writeUInt8(marked.readUInt8(lastBitmapByte) | 0x01, lastBitmapByte);
  const mac = Buffer.from(messageMac(algorithm, key, marked));
  if (wrong) mac.writeUInt8(mac.readUInt8(0) ^ 0x80, 0);
  return Buffer.concat([marked, mac]);
}

/** Whether a message ends with its code. */
function isSealed(message: Buffer, { algorithm, key }: Agreed): boolean {
  if (message.length <= lastBitmapByte + macBytes || (message.readUInt8(lastBitmapByte) & 0x01) === 0) return false;
  const [before, mac] = [message.subarray(0, -macBytes), message.subarray(-macBytes)];
  return timingSafeEqual(messageMac(algorithm, key, before), mac);
}
