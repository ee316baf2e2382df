import type { HidIdentity } from './port.ts';

/** Vendor and product ids of both readers. Published: MagTek's WebHID demo, ID TECH's public JavaScript API. */
export const hidIdentities = {
  /** DynaFlex: 64 bytes each way, no report ids. */
  mms: {
    name: 'MagTek DynaFlex (simulated)',
    serial: 'SIM0001',
    vendor: 0x0801,
    product: 0x2020,
    descriptor: descriptor(reports(64)),
  },
  /** VP3300: ids 1 to 4 (IDG p.41), 63 bytes each way behind the id. */
  neo2: {
    name: 'ID TECH VP3300 (simulated)',
    serial: 'SIM0002',
    vendor: 0x0acd,
    product: 0x3530,
    descriptor: descriptor([1, 2, 3, 4].flatMap((id) => [0x85, id, ...reports(63)])),
  },
} as const satisfies Record<string, HidIdentity>;

/**
 * One collection of the vendor page FF00, with bytes of 0 to 255 (HID 1.11, 6.2.2). Assumed: the devices' own
 * descriptors are not published.
 */
function descriptor(items: readonly number[]): Buffer {
  const head = [0x06, 0x00, 0xff, 0x09, 0x01, 0xa1, 0x01, 0x15, 0x00, 0x26, 0xff, 0x00, 0x75, 0x08];
  return Buffer.from([...head, ...items, 0xc0]);
}

/** One input and one output report of the same size. */
function reports(bytes: number): number[] {
  return [0x95, bytes, 0x09, 0x01, 0x81, 0x02, 0x95, bytes, 0x09, 0x01, 0x91, 0x02];
}
