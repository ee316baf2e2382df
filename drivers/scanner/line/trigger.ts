/** Bytes that start and stop a scanner, as hexadecimal: '16540D' and '16550D' (Honeywell, serial trigger). */
export interface TriggerSettings {
  readonly on: string;
  readonly off: string;
}

export interface Trigger {
  readonly on: Uint8Array;
  readonly off: Uint8Array;
}

/** Throws RangeError unless both are 1 to 16 bytes in hexadecimal. */
export function triggerBytes({ on, off }: TriggerSettings): Trigger {
  return { on: bytes(on), off: bytes(off) };
}

function bytes(hex: string): Uint8Array {
  if (!/^(?:[\dA-F]{2}){1,16}$/i.test(hex)) throw new RangeError('a scanner trigger is 1 to 16 bytes as hexadecimal');
  return Uint8Array.from(Buffer.from(hex, 'hex'));
}
