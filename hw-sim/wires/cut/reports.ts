import { Unpacker } from '../../reader/mms/packets.ts';
import { HidCommands } from '../../reader/neo2/hid-reports.ts';
import { reportBytes } from '../../reader/reports/port.ts';
import type { Cut, Cutter } from './cutter.ts';

/** The result of a whole report: messages, or bytes that are not a message. */
type Take = (report: Buffer) => { readonly kind: Cut['kind']; readonly payload: Buffer }[];

/** NEO2 frames in HID reports; commands and responses are packed alike (IDG p.41). */
export function cutNeo2Reports(): Cutter {
  const commands = new HidCommands();
  const isFrame = (payload: Buffer) => payload.subarray(0, 9).toString('latin1') === 'ViVOtech2';
  return new ReportCutter((report) =>
    commands.push(report).map((payload) => ({ kind: isFrame(payload) ? 'frame' : 'noise', payload })),
  );
}

/** MMS messages in HID reports; requests and answers are packed alike. */
export function cutMmsReports(): Cutter {
  const unpacker = new Unpacker();
  return new ReportCutter((report) =>
    unpacker
      .push(report)
      .map((each) =>
        each.kind === 'message' ? { kind: 'frame', payload: each.message } : { kind: 'noise', payload: each.bytes },
      ),
  );
}

class ReportCutter implements Cutter {
  readonly #take: Take;
  #held: Buffer = Buffer.alloc(0);
  /** Reports of a message that is not whole yet. */
  #reports: Buffer[] = [];

  constructor(take: Take) {
    this.#take = take;
  }

  push(chunk: Buffer): Cut[] {
    this.#held = Buffer.concat([this.#held, chunk]);
    const cuts: Cut[] = [];
    while (this.#held.length >= reportBytes) {
      const report = this.#held.subarray(0, reportBytes);
      this.#held = this.#held.subarray(reportBytes);
      this.#reports.push(report);
      const taken = this.#take(report);
      for (const { kind, payload } of taken) {
        // All reports so far carried the first of them; only a mistake completes two at once.
        cuts.push({ kind, payload, bytes: Buffer.concat(this.#reports), reports: this.#reports.length });
        this.#reports = [];
      }
    }
    return cuts;
  }

  abandon(): Cut[] {
    const bytes = Buffer.concat([...this.#reports, this.#held]);
    this.#reports = [];
    this.#held = Buffer.alloc(0);
    return bytes.length === 0 ? [] : [{ kind: 'noise', bytes }];
  }
}
