import type { PluggedDevice } from './plugged.ts';

/** A part of the configuration that takes this device, and with which driver. */
export interface Fitting {
  readonly part: 'reader' | 'printer' | 'scanner';
  readonly driver: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Vendors of the udev rules (systemd/60-poid.rules): usb.ids of linux-usb.org. */
const idTech = '0acd';
const magTekReader = /^0801:202[034]$/;
const printerVendors: readonly string[] = ['04b8', '0519', '1504', '1d90'];
const scannerVendors: readonly string[] = ['0c2e', '05e0', '05f9', '1eab'];

/** The part that fits a device; undefined if none does, or if only the user can decide. */
export function fittingOf(device: PluggedDevice): Fitting | undefined {
  const { kind, vendorId, productId } = device;
  if (kind === 'usbmisc')
    return { part: 'printer', driver: 'escpos', settings: { driver: 'escpos', path: pathOf(device) } };
  if (kind === 'hidraw') {
    const driver = vendorId === idTech ? 'neo2' : magTekReader.test(`${vendorId}:${productId}`) ? 'mms' : undefined;
    return (
      driver && { part: 'reader', driver, settings: { driver, hid: { vendorId, productId }, ...serialOf(device) } }
    );
  }
  if (vendorId === idTech)
    return { part: 'reader', driver: 'neo2', settings: { driver: 'neo2', path: pathOf(device), ...serialOf(device) } };
  if (printerVendors.includes(vendorId))
    return { part: 'printer', driver: 'escpos', settings: { driver: 'escpos', path: pathOf(device) } };
  if (scannerVendors.includes(vendorId))
    return { part: 'scanner', driver: 'line', settings: { driver: 'line', path: pathOf(device) } };
  return undefined;
}

/** The most stable name: by the serial number, by the kind, by udev's own rules, and last the kernel's. */
function pathOf({ links, serial, node }: PluggedDevice): string {
  const written = serial.replaceAll(/[^\w#+.:=@-]/g, '_');
  const bySerial = links.find(
    (each) => written !== '' && each.startsWith('/dev/poid/') && each.endsWith(`-${written}`),
  );
  return bySerial ?? links[0] ?? node;
}

function serialOf({ serial }: PluggedDevice): { readonly serial?: string } {
  return serial === '' ? {} : { serial };
}
