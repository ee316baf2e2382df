import { type HidIdentity, reportBytes } from './port.ts';

/**
 * Events of /dev/uhid, as the kernel's include/uapi/linux/uhid.h lays them out: packed, in the machine's byte order,
 * which is little-endian on all that this runs on. Linux 6.1 understood them in a guest.
 */
const type = {
  destroy: 1,
  stop: 3,
  output: 6,
  getReport: 9,
  getReportReply: 10,
  create2: 11,
  input2: 12,
  setReport: 13,
  setReportReply: 14,
} as const;

/** struct uhid_create2_req: name, phys and uniq are fixed fields of text that ends with a zero. */
const textBytes = { name: 128, phys: 64, uniq: 64 } as const;
const dataBytesMax = 4096;
const create2Bytes = 4 + textBytes.name + textBytes.phys + textBytes.uniq + 2 + 2 + 4 * 4 + dataBytesMax;

/** sizeof(struct uhid_event) is that of its largest member, create2; a read takes a whole event. */
export const eventBytesMax = 4380;

/** BUS_USB of linux/input.h. */
const busUsb = 3;

/** EIO of errno.h. */
const ioError = 5;

/** The kernel's events that a simulated reader must handle. */
export type UhidEvent =
  | { readonly kind: 'output'; readonly report: Buffer }
  /** An output report of the wrong length, or on a channel that the device does not have. */
  | { readonly kind: 'unexpected'; readonly bytes: Buffer }
  /** A request that needs a reply; otherwise the host waits five seconds. */
  | { readonly kind: 'ask'; readonly reply: Buffer }
  /** The device was destroyed. */
  | { readonly kind: 'stop' }
  /** Opened, closed and started: nothing to do. */
  | { readonly kind: 'other' };

export function createEvent({ name, serial, vendor, product, descriptor }: HidIdentity): Buffer {
  if (descriptor.length > dataBytesMax) throw new RangeError(`a report descriptor of ${descriptor.length} bytes`);
  const event = Buffer.alloc(create2Bytes);
  let at = event.writeUInt32LE(type.create2, 0);
  for (const [text, bytes] of [
    [name, textBytes.name],
    ['poid/simulator', textBytes.phys],
    [serial, textBytes.uniq],
  ] as const) {
    event.write(text, at, bytes - 1, 'latin1');
    at += bytes;
  }
  at = event.writeUInt16LE(descriptor.length, at);
  at = event.writeUInt16LE(busUsb, at);
  at = event.writeUInt32LE(vendor, at);
  at = event.writeUInt32LE(product, at);
  at = event.writeUInt32LE(0x0100, at);
  at = event.writeUInt32LE(0, at);
  descriptor.copy(event, at);
  return event;
}

export function destroyEvent(): Buffer {
  const event = Buffer.alloc(4);
  event.writeUInt32LE(type.destroy);
  return event;
}

/** A report from the device, with its id where it has one. */
export function inputEvent(report: Uint8Array): Buffer {
  const event = Buffer.alloc(4 + 2);
  event.writeUInt32LE(type.input2);
  event.writeUInt16LE(report.length, 4);
  return Buffer.concat([event, report]);
}

/** Undefined if the bytes are not an event. */
export function readEvent(bytes: Buffer): UhidEvent | undefined {
  // Every event but the shortest has eight bytes; the kernel fills those that it hands out.
  if (bytes.length < 8) return undefined;
  switch (bytes.readUInt32LE(0)) {
    case type.stop:
      return { kind: 'stop' };
    case type.output:
      return outputOf(bytes);
    case type.getReport:
      // struct uhid_get_report_req begins with the id that the reply repeats; err and size follow in the reply.
      return { kind: 'ask', reply: refusal(type.getReportReply, bytes.readUInt32LE(4), 2 + 2) };
    case type.setReport:
      return { kind: 'ask', reply: refusal(type.setReportReply, bytes.readUInt32LE(4), 2) };
    default:
      return { kind: 'other' };
  }
}

/** struct uhid_output_req: 4096 bytes of data, then their number in two bytes, then the kind of report. */
function outputOf(bytes: Buffer): UhidEvent {
  const size = bytes.length < 4 + dataBytesMax + 2 ? dataBytesMax + 1 : bytes.readUInt16LE(4 + dataBytesMax);
  if (size > dataBytesMax) return { kind: 'unexpected', bytes: Buffer.alloc(0) };
  const data = Buffer.from(bytes.subarray(4, 4 + size));
  // The bytes as written to hidraw: a report without an id has 00 in front, which a USB device never receives.
  const report = data.length === reportBytes + 1 && data[0] === 0 ? data.subarray(1) : data;
  return report.length === reportBytes ? { kind: 'output', report } : { kind: 'unexpected', bytes: data };
}

function refusal(reply: number, id: number, rest: number): Buffer {
  const event = Buffer.alloc(4 + 4 + rest);
  event.writeUInt32LE(reply);
  event.writeUInt32LE(id, 4);
  event.writeUInt16LE(ioError, 8);
  return event;
}
