import { severalFit, wrongSerial } from './identity.ts';

/** The part of node-hid's description of a device that decides. */
export interface FoundHid {
  readonly path?: string | undefined;
  readonly serialNumber?: string | undefined;
  /** Number of the USB interface; -1 if the device has none. */
  readonly interface: number;
}

/**
 * The path of the one device that is meant, of those with the configured ids. A device with several interfaces is found
 * once for each; the first one counts. Where two devices fit none is taken: the wrong reader would take a card for a
 * payment that its holder does not see, and which of two is found first may change with every start. Throws
 * AbsenceError, or Error if there is none.
 */
export function chooseHid(found: readonly FoundHid[], serial: string | undefined): string {
  if (found.length === 0) throw new Error('no HID devices of these ids');
  const fitting = serial === undefined ? found : found.filter((each) => each.serialNumber === serial);
  if (fitting.length === 0) throw wrongSerial([...new Set(found.map((each) => each.serialNumber))]);
  const first = Math.min(...fitting.map((each) => each.interface));
  // One interface may be found more than once: for each of its collections.
  const paths = new Map(
    fitting.flatMap((each) =>
      each.interface === first && each.path !== undefined ? [[each.path, each.serialNumber] as const] : [],
    ),
  );
  const [path] = paths.keys();
  if (path === undefined) throw new Error('no HID devices of these ids');
  if (paths.size > 1) throw severalFit([...paths.values()]);
  return path;
}
