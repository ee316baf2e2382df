import { isPinLength, type PinRequest, type PinResult } from '../pin-pad.ts';
import { status } from './status.ts';

/** State byte of the second answer to 62-01 (IDG p.346). */
export const pinState = { pin: 0x00, cancelKey: 0x01, cancelled: 0x02, noKey: 0x05, exhausted: 0x06 } as const;

/** Reads the data of 62-01, in the layout that fixtures/README.md decides. A sentence of what is wrong otherwise. */
export function parsePinRequest(data: Buffer): PinRequest | string {
  const [seconds = 0, digitsMin = 0, digitsMax = 0, again = 0] = data;
  if (data.length !== 4) return `62-01 with ${data.length} bytes of data`;
  if (seconds === 0) return '62-01 with a time-out of 0 s';
  if (!isPinLength(digitsMin, digitsMax)) return '62-01 with a number of digits that no PIN has';
  if (again > 1) return '62-01 that says neither that the last PIN was wrong nor that it was not';
  return { timeoutMs: seconds * 1000, digitsMin, digitsMax, again: again === 1 };
}

/** The second answer to 62-01. */
export function pinAnswer(result: PinResult): { readonly status: number; readonly data: Buffer } {
  const { kind } = result;
  switch (kind) {
    case 'pin': {
      const text = result.ksn.toString('hex') + result.block.toString('hex');
      const data = Buffer.concat([Buffer.of(pinState.pin), Buffer.from(text.toUpperCase(), 'latin1')]);
      return { status: status.ok, data };
    }
    case 'cancelKey':
      return { status: status.ok, data: Buffer.of(pinState.cancelKey) };
    case 'exhausted':
      return { status: status.ok, data: Buffer.of(pinState.exhausted) };
    case 'timeout':
      return { status: status.timeout, data: Buffer.alloc(0) };
    default:
      return kind satisfies never;
  }
}
