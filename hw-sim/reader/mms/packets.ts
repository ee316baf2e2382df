import { reportBytes } from '../reports/port.ts';

/** First byte of a report (MagTek WebHID demo, parseMMSPacket and buildCmdsArray). */
const kind = { single: 0x00, first: 0x01, middle: 0x02, last: 0x03, cancel: 0x04 } as const;

/** Message bytes in each kind of report. */
const capacity = { single: 62, first: 59, middle: 61, last: 62 } as const;

/** The longest known request has about 300 bytes. */
const messageBytesMax = 2048;

/** The result of a report: a whole message, or wrong bytes with the reason. */
export type Delivery =
  | { readonly kind: 'message'; readonly message: Buffer }
  | { readonly kind: 'wrong'; readonly bytes: Buffer; readonly why: string };

/** A message packed into reports, back to back. */
export function packed(message: Buffer): Buffer {
  if (message.length <= capacity.single) return report([kind.single, message.length], message);
  const head = Buffer.alloc(5);
  head[0] = kind.first;
  head.writeUInt32BE(message.length, 1);
  const reports = [report(head, message.subarray(0, capacity.first))];
  let at: number = capacity.first;
  for (let number = 1; message.length - at > capacity.last; number++, at += capacity.middle) {
    reports.push(report([kind.middle, number >> 8, number & 0xff], message.subarray(at, at + capacity.middle)));
  }
  return Buffer.concat([...reports, report([kind.last, message.length - at], message.subarray(at))]);
}

interface Partial {
  readonly total: number;
  readonly parts: readonly Buffer[];
  readonly length: number;
}

/** Joins reports to messages, and reports every one that does not fit. */
export class Unpacker {
  #partial: Partial | undefined;

  push(bytes: Buffer): Delivery[] {
    switch (bytes[0]) {
      case kind.single:
        return [...this.#dropped(bytes), this.#single(bytes)];
      case kind.first:
        return [...this.#dropped(bytes), ...this.#first(bytes)];
      case kind.middle:
        return this.#middle(bytes);
      case kind.last:
        return [this.#last(bytes)];
      case kind.cancel:
        return this.#cancel(bytes);
      default:
        return [wrong(bytes, 'a report of no known kind')];
    }
  }

  forget(): void {
    this.#partial = undefined;
  }

  /** A new message begins before the last report of this one. */
  #dropped(bytes: Buffer): Delivery[] {
    if (this.#partial === undefined) return [];
    this.#partial = undefined;
    return [wrong(bytes, 'a report that begins a message inside another')];
  }

  #single(bytes: Buffer): Delivery {
    const length = bytes[1] ?? 0;
    if (length === 0 || length > capacity.single)
      return wrong(bytes, 'a single report with a length that it can not have');
    if (!isPadded(bytes, 2 + length)) return wrong(bytes, 'a single report that is not filled with zeros');
    return { kind: 'message', message: bytes.subarray(2, 2 + length) };
  }

  #first(bytes: Buffer): Delivery[] {
    const total = bytes.readUInt32BE(1);
    if (total <= capacity.single) return [wrong(bytes, 'a first report of a message that fits a single one')];
    if (total > messageBytesMax)
      return [wrong(bytes, 'a first report of a message that is longer than this reader takes')];
    this.#partial = { total, parts: [bytes.subarray(5)], length: capacity.first };
    return [];
  }

  #middle(bytes: Buffer): Delivery[] {
    const partial = this.#partial;
    this.#partial = undefined;
    if (partial === undefined) return [wrong(bytes, 'a middle report without a first one')];
    const { total, parts, length } = partial;
    if (bytes.readUInt16BE(1) !== parts.length) return [wrong(bytes, 'a middle report out of its turn')];
    if (total - length <= capacity.last) return [wrong(bytes, 'a middle report where the last one is due')];
    this.#partial = { total, parts: [...parts, bytes.subarray(3)], length: length + capacity.middle };
    return [];
  }

  #last(bytes: Buffer): Delivery {
    const partial = this.#partial;
    this.#partial = undefined;
    if (partial === undefined) return wrong(bytes, 'a last report without a first one');
    const length = bytes[1] ?? 0;
    if (length !== partial.total - partial.length)
      return wrong(bytes, 'a last report with a length that does not add up');
    if (!isPadded(bytes, 2 + length)) return wrong(bytes, 'a last report that is not filled with zeros');
    return { kind: 'message', message: Buffer.concat([...partial.parts, bytes.subarray(2, 2 + length)]) };
  }

  /** The host cancels a message. One must have begun. */
  #cancel(bytes: Buffer): Delivery[] {
    const under = this.#partial;
    this.#partial = undefined;
    return under === undefined ? [wrong(bytes, 'a cancel report without a message')] : [];
  }
}

function report(head: Buffer | readonly number[], part: Buffer): Buffer {
  const bytes = Buffer.alloc(reportBytes);
  bytes.set(head);
  bytes.set(part, head.length);
  return bytes;
}

function isPadded(bytes: Buffer, from: number): boolean {
  return bytes.subarray(from).every((byte) => byte === 0);
}

function wrong(bytes: Buffer, why: string): Delivery {
  return { kind: 'wrong', bytes, why };
}
