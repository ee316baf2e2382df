import { openPty } from '../pty.ts';
import type { ProtocolName } from '../wires/protocol.ts';
import { type OpenTap, openNoTap, tapPty, tapReports } from '../wires/tap.ts';
import { MmsReader } from './mms/reader.ts';
import { hidLine } from './neo2/hid.ts';
import { Neo2Reader } from './neo2/reader.ts';
import type { ReadingOptions } from './reading.ts';
import { hidIdentities } from './reports/identity.ts';
import { openReports } from './reports/open.ts';
import type { Carrier, HidIdentity, ReportPort } from './reports/port.ts';

/** Any simulated reader: the customer's actions are the same. */
export type SimulatedReader = Neo2Reader | MmsReader;

/** Reader models: the maker's protocol and the wire under it. */
export const readerModels = ['neo2', 'neo2-hid', 'mms'] as const;
export type ReaderModel = (typeof readerModels)[number];

/** `reader` of the daemon's configuration: how to reach this reader. */
export type ReaderWire =
  | { readonly driver: 'neo2'; readonly path: string; readonly baudRate: number; readonly quickChip?: true }
  | {
      readonly driver: 'neo2' | 'mms';
      readonly quickChip?: true;
      readonly hid: { readonly stream: string } | { readonly vendorId: string; readonly productId: string };
    };

/** `quickChip`: a NEO2 completes a chip itself. */
export type ReaderOptions = Pick<ReadingOptions, 'bdk' | 'ksn'> & {
  readonly quickChip: boolean;
  /** Of a HID reader. Undefined: whichever this machine has. */
  readonly carrier?: Carrier | undefined;
};

export interface OpenedReader {
  readonly reader: SimulatedReader;
  readonly wire: ReaderWire;
  /** For the start-up lines. */
  readonly description: string;
  close(): Promise<void>;
}

/** What each model speaks. */
export const readerProtocols = {
  neo2: 'NEO2',
  'neo2-hid': 'NEO2 over HID',
  mms: 'MMS',
} as const satisfies Record<ReaderModel, ProtocolName>;

/** `link`: path of the link to the serial line, or to the stream that replaces HID. */
export async function openReader(
  model: ReaderModel,
  link: string,
  { quickChip, carrier, ...keys }: ReaderOptions,
  openTap: OpenTap = openNoTap,
): Promise<OpenedReader> {
  const chip = quickChip ? ({ quickChip } as const) : {};
  switch (model) {
    case 'neo2': {
      const pty = tapPty(await openPty(link), openTap());
      const reader = new Neo2Reader(pty, { ...keys, ...chip });
      return opened(reader, pty, 'neo2 on a serial line', {
        driver: 'neo2',
        path: pty.link,
        baudRate: 115_200,
        ...chip,
      });
    }
    case 'neo2-hid': {
      const port = tapReports(await openReports({ identity: hidIdentities.neo2, link, carrier }), openTap());
      const reader = new Neo2Reader(hidLine(port), { ...keys, ...chip, carrier: port.carrier });
      const hid = hidAddress(port, hidIdentities.neo2);
      return opened(reader, port, `neo2-hid on ${port.description}`, { driver: 'neo2', hid, ...chip });
    }
    case 'mms': {
      const port = tapReports(await openReports({ identity: hidIdentities.mms, link, carrier }), openTap());
      const hid = hidAddress(port, hidIdentities.mms);
      return opened(new MmsReader(port, keys), port, `mms on ${port.description}`, { driver: 'mms', hid });
    }
    default:
      return model satisfies never;
  }
}

function opened(
  reader: SimulatedReader,
  line: { close(): Promise<void> },
  description: string,
  wire: ReaderWire,
): OpenedReader {
  return {
    reader,
    wire,
    description,
    close: async () => {
      await reader.close();
      await line.close();
    },
  };
}

function hidAddress({ link }: ReportPort, { vendor, product }: HidIdentity) {
  return link === undefined ? { vendorId: usbNumber(vendor), productId: usbNumber(product) } : { stream: link };
}

function usbNumber(id: number): string {
  return id.toString(16).padStart(4, '0');
}
