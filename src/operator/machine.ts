import type { DeviceAbsence, DeviceState } from '../base/ports/device.ts';
import type { PrinterFault } from '../base/ports/receipt-printer.ts';
import { type Reason, reasons } from '../base/domain/reason.ts';
import type { MenuAnswer } from '../payment/contracts/operator-menu.ts';
import { done, refuse } from './menu-answer.ts';

/** A device for the operator: its state as a code, for which the page shows the remedy. */
export interface MenuDevice {
  readonly kind: 'reader' | 'printer' | 'scanner' | 'octopus';
  /** With its model and its place: 'neo2 at /dev/ttyACM0'. */
  readonly name: string;
  readonly condition: DeviceState | DeviceAbsence | PrinterFault;
}

/** The machine besides its payments. */
export interface MenuMachine {
  readonly devices: () => readonly MenuDevice[];
  /**
   * The address of this terminal for tills: 'https://192.168.1.20:8080'. Undefined if the system does not report it.
   */
  readonly addresses: () => readonly string[] | undefined;
  /** Opens the drawer once for each name. Absent on a terminal without a printer. */
  readonly openDrawer?: (name: { readonly posId: string; readonly messageId: string }) => Promise<Opened>;
  /** Prints a page of the printer's own, once for each name; resolves to why it did not. Absent without a printer. */
  readonly printTest?: (name: { readonly posId: string; readonly messageId: string }) => Promise<string | undefined>;
}

type Opened = 'opened' | 'otherRequest' | { readonly reason: Reason };

export async function openDrawer(
  name: { readonly posId: string; readonly messageId: string },
  { openDrawer: open }: MenuMachine,
): Promise<MenuAnswer> {
  if (!open) return refuse(409, 'no-printer');
  const opened = await open(name);
  if (opened === 'opened') return done;
  if (opened === 'otherRequest') return refuse(409, opened);
  return { status: 409, body: { reason: opened.reason, text: reasons[opened.reason].text } };
}

/** 200 with a reason, because missing paper is not an error of the request. */
export async function printTest(
  name: { readonly posId: string; readonly messageId: string },
  { printTest: print }: MenuMachine,
): Promise<MenuAnswer> {
  const fault = print ? await print(name) : 'no-printer';
  return fault === undefined ? done : refuse(200, fault);
}
