import { reportBytes } from '../reports/port.ts';
import { frameLength, headerStart } from './frame.ts';

/** First byte of a report (IDG p.41). */
const id = { single: 0x01, first: 0x02, middle: 0x03, last: 0x04 } as const;

const payloadBytes = reportBytes - 1;

/** More than the longest command. Without a limit a driver's mistake would fill the memory. */
const collectedBytesMax = 4096;

/**
 * Packs responses, whole or in pieces, into reports: one of id 01 if it fits, otherwise 02, 03 …, 04. Bytes that are
 * no response are sent unchanged in reports of their own.
 */
export class HidResponses {
  #buffer: Buffer = Buffer.alloc(0);

  push(bytes: Uint8Array): Buffer[] {
    this.#buffer = Buffer.concat([this.#buffer, bytes]);
    const reports: Buffer[] = [];
    for (let part = this.#next(); part !== undefined; part = this.#next()) reports.push(...reportsOf(part));
    return reports;
  }

  forget(): void {
    this.#buffer = Buffer.alloc(0);
  }

  #next(): Buffer | undefined {
    const noise = headerStart(this.#buffer, 0);
    const length = noise > 0 ? noise : frameLength(this.#buffer);
    if (length === undefined || this.#buffer.length < length) return undefined;
    const part = this.#buffer.subarray(0, length);
    this.#buffer = this.#buffer.subarray(length);
    return part;
  }
}

/**
 * Joins reports to commands. A command ends after its length; the rest of its report is zeros (IDG p.42). Anything else
 * is passed on unchanged: the reader's decoder reports it.
 */
export class HidCommands {
  #collected: Buffer | undefined;

  push(report: Buffer): Buffer[] {
    const payload = report.subarray(1);
    switch (report[0]) {
      case id.single:
        return [...this.#given(), unpadded(payload)];
      case id.first: {
        const given = this.#given();
        this.#collected = payload;
        return given;
      }
      case id.middle:
        if (this.#collected === undefined) return [report];
        this.#collected = Buffer.concat([this.#collected, payload]);
        return this.#collected.length > collectedBytesMax ? this.#given() : [];
      case id.last: {
        if (this.#collected === undefined) return [report];
        const whole = Buffer.concat([this.#collected, payload]);
        this.#collected = undefined;
        return [unpadded(whole)];
      }
      default:
        return [report];
    }
  }

  forget(): void {
    this.#collected = undefined;
  }

  /** Drops the collected reports: the last one did not come. */
  #given(): Buffer[] {
    const collected = this.#collected;
    this.#collected = undefined;
    return collected === undefined ? [] : [collected];
  }
}

function reportsOf(bytes: Buffer): Buffer[] {
  const reports: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += payloadBytes) {
    const report = Buffer.alloc(reportBytes);
    report[0] = idOf(at === 0, at + payloadBytes >= bytes.length);
    bytes.copy(report, 1, at);
    reports.push(report);
  }
  return reports;
}

function idOf(isFirst: boolean, isLast: boolean): number {
  if (isFirst) return isLast ? id.single : id.first;
  return isLast ? id.last : id.middle;
}

function unpadded(bytes: Buffer): Buffer {
  const length = frameLength(bytes);
  if (length === undefined || bytes.length < length) return bytes;
  return bytes.subarray(length).every((byte) => byte === 0) ? bytes.subarray(0, length) : bytes;
}
