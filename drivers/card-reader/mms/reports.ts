import { reportBytes } from '../../transport/reports.ts';

/**
 * MMS messages in HID reports of 64 bytes (developer.magtek.com, "How to use USB connections";
 * MagTek-PaulDeignan/WebHID_Public 06ee711, js/MagTek_WebAPI/API_mmsParse.js). The first byte is the type of a report.
 */
const kind = {
  /** Length (1), a whole message, zeros. */
  single: 0x00,
  /** Length of the whole message (4, big-endian), its first 59 bytes. */
  first: 0x01,
  /** Number from 1 (2, big-endian), 61 bytes. */
  middle: 0x02,
  /** Length (1), the rest, zeros. */
  last: 0x03,
  /** Cancels an incomplete message. */
  cancel: 0x04,
} as const;

const headBytes = { single: 2, first: 5, middle: 3, last: 2 } as const;
const endBytesMax = reportBytes - headBytes.last;

/** A card with all its data has about 600 bytes; a length over this limit is damaged. */
export const messageBytesMax = 4096;

/** The reports of a message: 64 bytes each. */
export function splitMessage(message: Uint8Array): Uint8Array[] {
  if (message.length > messageBytesMax) throw new RangeError(`a message of ${message.length} bytes`);
  if (message.length <= endBytesMax) return [reportOf([kind.single, message.length], message)];
  const { length } = message;
  let at = reportBytes - headBytes.first;
  const reports = [reportOf([kind.first, ...bigEndian(length, 4)], message.subarray(0, at))];
  for (let number = 1; length - at > endBytesMax; number++) {
    const next = at + reportBytes - headBytes.middle;
    reports.push(reportOf([kind.middle, ...bigEndian(number, 2)], message.subarray(at, next)));
    at = next;
  }
  reports.push(reportOf([kind.last, length - at], message.subarray(at)));
  return reports;
}

function reportOf(head: readonly number[], body: Uint8Array): Uint8Array {
  const report = new Uint8Array(reportBytes);
  report.set(head);
  report.set(body, head.length);
  return report;
}

function bigEndian(value: number, bytes: number): number[] {
  return Array.from({ length: bytes }, (_, i) => Math.floor(value / 256 ** (bytes - 1 - i)) & 0xff);
}

/**
 * Joins reports to whole messages. Reports that do not fit together are dropped, and 'corrupt' is returned once for
 * each report that shows it. The caller overwrites the messages; this class overwrites its own buffer.
 */
export class MessageJoiner {
  readonly #buffer = new Uint8Array(messageBytesMax);
  #expected = 0;
  #used = 0;
  #number = 0;

  /** Whether a message has begun and is incomplete. */
  get unfinished(): boolean {
    return this.#expected > 0;
  }

  /** The message that `report` completes; undefined if more reports must follow, or the message was cancelled. */
  push(report: Uint8Array): Uint8Array | 'corrupt' | undefined {
    try {
      return this.#take(report);
    } finally {
      report.fill(0);
    }
  }

  /** Drops an incomplete message. */
  reset(): void {
    this.#buffer.fill(0, 0, this.#used);
    this.#expected = 0;
    this.#used = 0;
    this.#number = 0;
  }

  #take(report: Uint8Array): Uint8Array | 'corrupt' | undefined {
    if (report.length !== reportBytes) return this.#giveUp();
    const at = (offset: number) => report[offset] ?? 0;
    switch (report[0]) {
      case kind.single: {
        // The message that was interrupted is lost, but the new one is whole.
        this.reset();
        const length = at(1);
        return length === 0 || length > endBytesMax
          ? 'corrupt'
          : report.slice(headBytes.single, headBytes.single + length);
      }
      case kind.first: {
        this.reset();
        const length = ((at(1) << 24) | (at(2) << 16) | (at(3) << 8) | at(4)) >>> 0;
        if (length <= endBytesMax || length > messageBytesMax) return 'corrupt';
        this.#expected = length;
        return this.#append(report.subarray(headBytes.first));
      }
      case kind.middle:
        if (!this.unfinished || ((at(1) << 8) | at(2)) !== ++this.#number) return this.#giveUp();
        return this.#append(report.subarray(headBytes.middle));
      case kind.last: {
        const length = at(1);
        if (!this.unfinished || length > endBytesMax || this.#used + length !== this.#expected) return this.#giveUp();
        this.#append(report.subarray(headBytes.last, headBytes.last + length));
        const message = this.#buffer.slice(0, this.#used);
        this.reset();
        return message;
      }
      case kind.cancel:
        this.reset();
        return undefined;
      default:
        return this.#giveUp();
    }
  }

  /** Appends a middle part. At least one byte must remain for the last report. */
  #append(part: Uint8Array): 'corrupt' | undefined {
    if (this.#used + part.length > this.#expected) return this.#giveUp();
    this.#buffer.set(part, this.#used);
    this.#used += part.length;
    return undefined;
  }

  #giveUp(): 'corrupt' {
    this.reset();
    return 'corrupt';
  }
}
