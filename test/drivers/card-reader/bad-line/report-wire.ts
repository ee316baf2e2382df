import { reportBytes, type ReportTransport } from '../../../../drivers/transport/reports.ts';
import type { Transport } from '../../../../drivers/transport/transport.ts';
import type { Pty } from '../../../../hw-sim/pty.ts';
import type { ReportPort } from '../../../../hw-sim/reader/reports/port.ts';

/** Reports under way, by a number of one byte: what a lane does to the byte happens to the whole report. */
class Numbered {
  readonly #reports: Uint8Array[] = [];
  #next = 0;

  number(report: Uint8Array): Buffer {
    const at = this.#next;
    this.#next = (at + 1) & 0xff;
    this.#reports[at] = Uint8Array.from(report);
    return Buffer.of(at);
  }

  of(numbers: Uint8Array): Buffer[] {
    return Array.from(numbers, (at) => Buffer.from(this.#reports[at] ?? []));
  }
}

/**
 * HID reports on a bad line. USB guards each packet with a CRC of its own (USB 2.0, 8.3.5) and tells a repeated one by its toggle
 * (8.6), so a report is never damaged nor cut, and none comes twice to the device, whose controller drops it. What does happen:
 * whole ones are lost where a buffer is full (hidraw keeps 64), come late, come twice from a device whose firmware sends them
 * again, and the cable is pulled between two.
 */
export function reportWire(
  device: Pty,
  host: Transport,
): { readonly port: ReportPort; readonly reports: ReportTransport } {
  const toHost = new Numbered();
  const toDevice = new Numbered();
  let last: number | undefined;
  const port: ReportPort = {
    carrier: 'uhid',
    description: 'memory',
    link: undefined,
    get plugged() {
      return device.plugged;
    },
    write(bytes) {
      for (let at = 0; at < bytes.length; at += reportBytes) {
        device.write(toHost.number(bytes.subarray(at, at + reportBytes)));
      }
    },
    onReport: (listener) =>
      device.onData((numbers) => {
        for (const number of numbers) {
          if (number !== last) for (const report of toDevice.of(Buffer.of(number))) listener(report);
          last = number;
        }
      }),
    onUnexpected: () => undefined,
    unplug: () => device.unplug(),
    plug: () => device.plug(),
    close: () => device.close(),
  };
  const reports: ReportTransport = {
    path: host.path,
    get state() {
      return host.state;
    },
    onState: (listener) => host.onState(listener),
    onReport: (listener) =>
      host.onData((numbers) => {
        for (const report of toHost.of(numbers)) listener(Uint8Array.from(report));
      }),
    write: (report) => host.write(toDevice.number(report)),
    close: () => host.close(),
  };
  return { port, reports };
}
