import type { ApiParts } from '../../pos/api/call.ts';
import type { CashDrawer } from '../../pos/peripherals/cash-drawer.ts';
import type { LineSecurity } from '../../base/domain/line-security.ts';
import type { ClockState } from '../../base/domain/clock-doubt.ts';
import type { Acquirer } from '../../payment/method/acquirer.ts';
import type { OperatorMenu } from '../../operator/menu.ts';
import type { MenuNotice } from '../../payment/contracts/operator-menu.ts';
import type { Device, DeviceState } from '../../base/ports/device.ts';
import type { PrinterFault, ReceiptPrinter } from '../../base/ports/receipt-printer.ts';
import type { MenuDevice, MenuMachine } from '../../operator/machine.ts';
import type { ScreenServer } from '../../screen/server.ts';
import type { HeldAcquirers } from '../../payment/holds/held-acquirers.ts';
import type { CommissioningFaults } from '../../observability/commissioning-faults.ts';
import { type Absences, deviceKinds } from './devices.ts';
import type { MethodDeviceKind } from '../../../drivers/registry.ts';
import type { MenuOptions } from './operator-menu.ts';
import type { AccessControl } from './access-control.ts';

/** The parts whose faults the idle screen shows to the merchant. */
interface Watched extends Partial<Record<MethodDeviceKind, Device>> {
  readonly reader: Pick<Device, 'name' | 'state' | 'onState'>;
  readonly clock: { readonly state: ClockState; onState(listener: () => void): unknown };
  readonly printer?: ReceiptPrinter;
  readonly scanner?: Device;
  readonly drawer?: CashDrawer | undefined;
  readonly absences: Pick<Absences, 'of'>;
  readonly faults: Pick<CommissioningFaults, 'acquirers' | 'onChange'>;
  readonly acquirers: ReadonlyMap<string, Pick<Acquirer, 'address'>>;
  readonly held: Pick<HeldAcquirers, 'acquirers' | 'onChange'>;
}

/** The operator's menu on the screen, refreshed whenever its content may have changed. */
export async function openMenu(
  accessControl: Pick<AccessControl, 'menu'>,
  api: ApiParts,
  parts: Pick<
    MenuOptions,
    'journal' | 'forwarder' | 'acquirers' | 'terminal' | 'receipts' | 'drawer' | 'onGivenBack'
  > & {
    readonly machine: Omit<MenuMachine, 'devices'>;
  },
  watched: Watched,
  screen: Pick<ScreenServer, 'equip' | 'serveStatus'>,
): Promise<OperatorMenu> {
  const menu = accessControl.menu(api, {
    ...parts,
    notices: () => noticesOf(watched),
    unknownTo: () => watched.faults.acquirers,
    lines: () => linesOf(watched.acquirers),
    held: () => watched.held.acquirers,
    machine: { ...parts.machine, devices: () => devicesOf(watched) },
  });
  for (const each of [watched.reader, watched.clock]) each.onState(() => menu.notifyListeners());
  watched.faults.onChange(() => menu.notifyListeners());
  watched.held.onChange(() => menu.notifyListeners());
  watched.drawer?.onChange(() => menu.notifyListeners());
  watched.printer?.onFaultChange(() => void menu.refresh());
  await menu.refresh();
  screen.equip(menu);
  screen.serveStatus(api.status);
  return menu;
}

/** How the connection to each card host is protected. */
function linesOf(acquirers: Watched['acquirers']): ReadonlyMap<string, LineSecurity> {
  return new Map([...acquirers].flatMap(([id, { address }]) => (address?.line ? [[id, address.line.security]] : [])));
}

/** One word for how each device is: why it is absent, or what it lacks. */
function devicesOf({ printer, absences, ...others }: Watched): readonly MenuDevice[] {
  const all = { ...others, printer };
  return deviceKinds.flatMap((kind) => {
    const device = all[kind];
    if (!device) return [];
    const { name, state } = device;
    const fault = kind === 'printer' ? printer?.fault : undefined;
    const absence = state === 'absent' ? absences.of(kind) : undefined;
    return [{ kind, name, condition: absence ?? (state === 'ready' ? (fault ?? state) : state) }];
  });
}

const ofReader = { ready: [], absent: ['readerAbsent'], connecting: ['readerConnecting'] } as const satisfies Record<
  DeviceState,
  readonly MenuNotice[]
>;

const ofClock = {
  ok: [],
  unknown: [],
  unsynchronised: ['clockUnsynchronised'],
  beforeBuild: ['clockWrong'],
} as const satisfies Record<ClockState, readonly MenuNotice[]>;

const ofPrinter = {
  absent: 'printerAbsent',
  'paper-out': 'paperOut',
  'cover-open': 'printerCoverOpen',
  error: 'printerError',
} as const satisfies Record<PrinterFault, MenuNotice>;

/** Notices for the merchant on an idle screen. */
function noticesOf({
  reader,
  clock,
  printer,
  drawer,
}: Pick<Watched, 'reader' | 'clock' | 'printer' | 'drawer'>): readonly MenuNotice[] {
  const fault = printer?.fault;
  return [
    ...ofReader[reader.state],
    ...(fault === undefined ? [] : [ofPrinter[fault]]),
    ...(drawer?.stayedShut ? (['drawerShut'] as const) : []),
    ...ofClock[clock.state],
  ];
}
