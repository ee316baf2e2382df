import type { Findings } from '../../findings.ts';
import { Outlet, type OutletFaults, type Spoilage } from '../outlet.ts';
import { type ReportPort, reportBytes } from '../reports/port.ts';
import { requestId, summary } from './codes.ts';
import { notificationMessage, parseRequest, type Request, responseMessage } from './message.ts';
import { packed, Unpacker } from './packets.ts';

export interface LineOptions {
  readonly findings: Findings;
  readonly obey: (request: Request) => void;
}

/** Requests whose response says "started". */
const goesOn: ReadonlySet<number> = new Set([requestId.start, requestId.pin]);

/** A report of an unknown kind: the driver must still accept the message after it. */
const garbage = Buffer.alloc(reportBytes, 0xa5);

const spoilage: Spoilage = { garbage, garbled };

/**
 * The reader's end of the wire: requests come in, responses and notifications go out, all other bytes are findings.
 */
export class Line {
  readonly #options: LineOptions;
  readonly #outlet: Outlet;
  readonly #unpacker = new Unpacker();
  #closed = false;

  constructor(port: ReportPort, options: LineOptions) {
    this.#options = options;
    this.#outlet = new Outlet((bytes) => {
      port.write(bytes);
    }, spoilage);
    port.onReport((report) => {
      this.#receive(report);
    });
    port.onUnexpected((bytes) => {
      if (!this.#closed) options.findings.record('bytes that are no report', bytes);
    });
  }

  respond(request: Request, code: number, detail = 0): void {
    this.#outlet.send(packed(responseMessage(request, code, detail)));
  }

  notify(id: number, what: number, detail: number, payload?: Buffer): void {
    this.#outlet.send(packed(notificationMessage(id, what, detail, payload)));
  }

  /** Refuses a command that no driver should have sent, and records it. */
  refuse(request: Request, detail: number, why: string): void {
    this.#options.findings.record(why, request.bytes);
    this.respond(request, goesOn.has(request.id) ? summary.failedToStart : summary.failed, detail);
  }

  /** Adds faults of outgoing frames; `false` cancels one. */
  spoil(faults: OutletFaults): void {
    this.#outlet.spoil(faults);
  }

  /** Drops unsent bytes and all faults. */
  clearOutlet(): void {
    this.#outlet.clear();
  }

  /** Drops incomplete and unsent bytes in both directions. */
  cut(): void {
    this.#unpacker.forget();
    this.#outlet.clear();
  }

  close(): void {
    this.#closed = true;
    this.cut();
  }

  #receive(report: Buffer): void {
    if (this.#closed) return;
    for (const delivery of this.#unpacker.push(report)) {
      if (delivery.kind === 'wrong') this.#options.findings.record(delivery.why, delivery.bytes);
      else this.#arrive(delivery.message);
    }
  }

  #arrive(message: Buffer): void {
    const request = parseRequest(message);
    // Without type, reference and id no response is possible.
    if (typeof request === 'string') this.#options.findings.record(request, message);
    else this.#options.obey(request);
  }
}

/**
 * Flips one bit of the message's start byte. The report still announces a message; no other error would be noticed.
 */
function garbled(reports: Buffer): Buffer {
  const copy = Buffer.from(reports);
  const at = copy[0] === 0 ? 2 : 5;
  copy[at] = (copy[at] ?? 0) ^ 0x40;
  return copy;
}
