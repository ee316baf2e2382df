import type { Configuration } from '../../config/configuration.ts';
import type { CashDrawer } from '../../pos/peripherals/cash-drawer.ts';
import type { Counter } from '../../pos/peripherals/counter.ts';
import type { PrintOutcome } from '../../pos/peripherals/print-queue.ts';
import { TillDrawer } from '../../pos/peripherals/till-drawer.ts';
import type { MenuMachine } from '../../operator/machine.ts';
import type { Log } from '../../observability/log.ts';
import type { DrawerOpenings } from './counter.ts';
import { listOwnAddresses } from '../../base/own-addresses.ts';

interface MachineParts {
  /** Absent on a terminal without a printer. */
  readonly drawer?: CashDrawer | undefined;
  readonly counter: Pick<Counter, 'paper'> & { readonly openings: Pick<DrawerOpenings, 'record'> };
  readonly log: Pick<Log, 'warn'>;
}

/** The functions of the operator's menu for the machine itself, without its devices. */
export function makeMachine(
  { http }: Configuration,
  { drawer: cashDrawer, counter, log }: MachineParts,
): Omit<MenuMachine, 'devices'> {
  const addresses = () => addressesOf(http, log);
  if (!cashDrawer) return { addresses };
  // The configuration's permission is for tills: the operator has a password.
  const drawer = new TillDrawer({ isAllowed: true, printer: cashDrawer, record: counter.openings.record });
  return {
    addresses,
    openDrawer: (name) => drawer.open(name),
    printTest: async (name) =>
      printFault(await counter.paper.print({ ...name, digest: 'TEST', waits: false, lines: testLines })),
  };
}

/** Each style of a receipt, and Chinese. */
const testLines: Parameters<Counter['paper']['print']>[0]['lines'] = [
  { type: 'text', text: 'TEST PRINT', align: 'center', size: 'double' },
  { type: 'text', text: '測試列印', align: 'center' },
  { type: 'columns', left: 'LEFT', right: 'RIGHT', bold: true },
  { type: 'text', text: '0123456789 ABCDEFGHIJKLMNOPQRSTUVWXYZ' },
  { type: 'rule' },
];

function printFault(outcome: PrintOutcome | { readonly reason: string }): string | undefined {
  if ('reason' in outcome) return 'error';
  if (outcome.kind === 'printed') return undefined;
  return 'fault' in outcome ? (outcome.fault ?? 'error') : 'error';
}

/** Its address for tills. Undefined if the system does not list its addresses. */
function addressesOf({ tls, port }: Configuration['http'], log: Pick<Log, 'warn'>): readonly string[] | undefined {
  const { addresses, fault } = listOwnAddresses();
  if (fault !== undefined) {
    log.warn('operator', { reason: fault });
    return undefined;
  }
  return addresses.map(
    ({ family, address }) => `${tls ? 'https' : 'http'}://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
  );
}
