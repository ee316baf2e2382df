import type { CashDrawer } from '../../pos/peripherals/cash-drawer.ts';
import type { ClockState } from '../../base/domain/clock-doubt.ts';
import type { DeskNotice } from '../../payment/contracts/desk.ts';
import type { PrinterFault, ReceiptPrinter } from '../../base/ports/receipt-printer.ts';
import type { DeviceState } from '../../base/ports/device.ts';

const ofReader = { ready: [], absent: ['readerAbsent'], connecting: ['readerConnecting'] } as const satisfies Record<
  DeviceState,
  readonly DeskNotice[]
>;

const ofClock = {
  ok: [],
  unknown: [],
  unsynchronised: ['clockUnsynchronised'],
  beforeBuild: ['clockWrong'],
} as const satisfies Record<ClockState, readonly DeskNotice[]>;

const ofPrinter = {
  absent: 'printerAbsent',
  'paper-out': 'paperOut',
  'cover-open': 'printerCoverOpen',
  error: 'printerError',
} as const satisfies Record<PrinterFault, DeskNotice>;

interface Watched {
  readonly reader: { readonly state: DeviceState };
  readonly clock: { readonly state: ClockState };
  readonly printer?: Pick<ReceiptPrinter, 'fault'>;
  readonly drawer?: Pick<CashDrawer, 'stayedShut'> | undefined;
}

/** Notices for the merchant on an idle screen. */
export function noticesOf({ reader, clock, printer, drawer }: Watched): readonly DeskNotice[] {
  const fault = printer?.fault;
  return [
    ...ofReader[reader.state],
    ...(fault === undefined ? [] : [ofPrinter[fault]]),
    ...(drawer?.stayedShut ? (['drawerShut'] as const) : []),
    ...ofClock[clock.state],
  ];
}
