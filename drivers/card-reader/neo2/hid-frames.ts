import type { DeviceState } from '../../../src/base/ports/device.ts';
import { reportBytes, type ReportTransport } from '../../transport/reports.ts';
import type { Transport } from '../../transport/transport.ts';

/**
 * NEO2 frames in HID reports (NEO 2 Interface Developer's Guide 80139403-002, p.41-42): an id and 63 bytes. The frames
 * are the same as on the serial line.
 */
const reportId = {
  /** A whole frame, padded with zeros. */
  whole: 0x01,
  /** The first 63 bytes of a longer one. */
  first: 0x02,
  /** 63 more. */
  middle: 0x03,
  /** The rest, padded with zeros. */
  last: 0x04,
} as const;

const payloadBytes = reportBytes - 1;

/**
 * Frame: tag (10), command, status, length (2), data, CRC (2). User interface event: tag (4), length (1), data, CRC
 * (2).
 */
const frameTag = Buffer.from('ViVOtech2\0', 'latin1');
const eventTag = Buffer.from('E\0U\0', 'latin1');
const frameHeadBytes = 14;
const crcBytes = 2;

/**
 * Turns reports into a byte stream for `neo2Reader`. It owns the report transport from now on. Unverified on hardware.
 */
export function hidFrames(reports: ReportTransport): Transport {
  return new HidFrames(reports);
}

class HidFrames implements Transport {
  readonly #reports: ReportTransport;
  readonly #listeners = new Set<(chunk: Uint8Array) => void>();
  readonly #leaveReports: readonly (() => void)[];
  /** Bytes of the current frame that have not arrived yet; undefined between frames. */
  #missing: number | undefined;
  /** Keeps the reports of one frame together. */
  #written: Promise<unknown> = Promise.resolve();

  constructor(reports: ReportTransport) {
    this.#reports = reports;
    this.#leaveReports = [
      reports.onReport((report) => this.#receive(report)),
      reports.onState(() => {
        this.#missing = undefined;
        this.#written = Promise.resolve();
      }),
    ];
  }

  get path(): string {
    return this.#reports.path;
  }

  get state(): DeviceState {
    return this.#reports.state;
  }

  onState(listener: (state: DeviceState) => void): () => void {
    return this.#reports.onState(listener);
  }

  onData(listener: (chunk: Uint8Array) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async write(frame: Uint8Array): Promise<void> {
    const reports = splitFrame(frame);
    const written = this.#written.then(async () => {
      for (const report of reports) await this.#reports.write(report);
    });
    this.#written = written.catch(() => {});
    await written;
  }

  async close(): Promise<void> {
    await this.#reports.close();
    for (const leave of this.#leaveReports) leave();
    this.#listeners.clear();
  }

  /** Passes a report's bytes on at once. The frame decoder decides whether the frame is whole. */
  #receive(report: Uint8Array): void {
    const payload = report.subarray(1);
    switch (report[0]) {
      case reportId.whole:
      case reportId.first:
        // The frame's length decides where it ends: zeros may be part of it or padding.
        this.#missing = frameBytes(payload);
        break;
      case reportId.middle:
      case reportId.last:
        // Ignored unless a first report came before: p.42.
        if (this.#missing === undefined) return;
        break;
      default:
        return;
    }
    const chunk = payload.subarray(0, Math.max(0, this.#missing));
    const over = report[0] === reportId.whole || report[0] === reportId.last;
    this.#missing = over ? undefined : this.#missing - chunk.length;
    if (chunk.length > 0) for (const listener of this.#listeners) listener(chunk);
    report.fill(0);
  }
}

/** The reports of a frame: 64 bytes each, the id first. */
export function splitFrame(frame: Uint8Array): Uint8Array[] {
  if (frame.length <= payloadBytes) return [reportOf(reportId.whole, frame)];
  const reports: Uint8Array[] = [];
  for (let at = 0; at < frame.length; at += payloadBytes) {
    const isLast = at + payloadBytes >= frame.length;
    const id = at === 0 ? reportId.first : isLast ? reportId.last : reportId.middle;
    reports.push(reportOf(id, frame.subarray(at, at + payloadBytes)));
  }
  return reports;
}

function reportOf(id: number, payload: Uint8Array): Uint8Array {
  const report = new Uint8Array(reportBytes);
  report[0] = id;
  report.set(payload, 1);
  return report;
}

/** The length of the frame at the front. Infinity if the bytes are not a frame: then they are passed on unchanged. */
function frameBytes(payload: Uint8Array): number {
  const at = (offset: number) => payload[offset] ?? 0;
  const begins = (tag: Uint8Array) => tag.every((byte, offset) => byte === at(offset));
  if (begins(frameTag)) return frameHeadBytes + (at(frameHeadBytes - 2) << 8) + at(frameHeadBytes - 1) + crcBytes;
  if (begins(eventTag)) return eventTag.length + 1 + at(eventTag.length) + crcBytes;
  return Number.POSITIVE_INFINITY;
}
