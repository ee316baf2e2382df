import { listOwnAddresses } from '../../base/own-addresses.ts';
import type { Configuration } from '../../config/configuration.ts';
import { builtAt } from '../../observability/version.ts';
import { checkClock, isTimeServerReached } from '../checks/clock.ts';
import { deviceKinds } from '../../main/composition/devices.ts';
import { checkDevice, type Counter, openCounter } from '../checks/devices.ts';
import { checkHosts } from '../checks/hosts.ts';
import { checkNetwork } from '../checks/network.ts';
import { checkWear } from '../checks/storage.ts';
import { checkWatchdog } from '../checks/watchdog.ts';
import { type Finding, skip, fail, pass } from '../finding.ts';
import type { Machine } from '../machine.ts';
import { testCard } from './card.ts';
import { testDrawer, testPrinter } from './paper.ts';
import type { Person } from './person.ts';
import { testScreen } from './screen.ts';
import type { CodeScanner } from '../../base/ports/code-scanner.ts';
import { DeviceError } from '../../base/ports/device.ts';
import { unattended } from './asked.ts';

export interface SelftestOptions {
  readonly machine: Machine;
  /** Whether the clock was set by a time server; undefined if unknown. */
  readonly isSynchronised: boolean | undefined;
  readonly serialNumber: string;
  /** Undefined if no operator is present. */
  readonly person?: Person | undefined;
  /** How long a device may take to answer after it was opened. */
  readonly deviceMs?: number;
  /** How long a person may take to do something. */
  readonly personMs?: number;
  readonly onFinding?: (finding: Finding) => void;
}

/** Tests each part of a terminal that does not run. First the tests without an operator, then those that need one. */
export async function runSelftest(configuration: Configuration, options: SelftestOptions): Promise<Finding[]> {
  const { machine, person, personMs = 30_000, onFinding } = options;
  const findings: Finding[] = [];
  const add = (...all: readonly Finding[]) => {
    findings.push(...all);
    for (const each of all) onFinding?.(each);
  };
  add(checkClock(new Date(), options.isSynchronised, builtAt, isTimeServerReached(machine)));
  add(checkNetwork(listOwnAddresses(), machine));
  add(checkWear(machine), checkWatchdog(machine));
  add(...(await checkHosts(configuration, true)));
  const counter = await openCounter(configuration);
  try {
    await testCounter(configuration, counter, options, add);
  } finally {
    await counter.close();
  }
  add(...(await testScreen(configuration, person, personMs)));
  return findings;
}

/** First checks that each device answers, then tests its function. */
async function testCounter(
  { screen: { currency } }: Configuration,
  counter: Counter,
  { serialNumber, person, deviceMs = 10_000, personMs = 30_000 }: SelftestOptions,
  add: (...findings: readonly Finding[]) => void,
): Promise<void> {
  const found = await Promise.all(deviceKinds.map((kind) => checkDevice(kind, counter, deviceMs)));
  add(...found);
  const isThere = (kind: (typeof deviceKinds)[number]) => found[deviceKinds.indexOf(kind)]?.verdict === 'PASS';
  const { reader, printer, scanner } = counter.devices;
  if (printer && isThere('printer')) {
    add(await testPrinter(printer, serialNumber, person), await testDrawer(printer, person));
  } else add(...['printer page', 'drawer'].map((part) => skip(part, 'no printer')));
  if (scanner && isThere('scanner')) add(await testScan(scanner, person, personMs));
  else add(skip('scan', 'no scanner'));
  if (isThere('reader')) add(...(await testCard(reader, { minor: 100n, currency }, person, personMs)));
  else add(...['tap', 'PIN pad'].map((part) => skip(part, 'no reader')));
}

/** Reads one code of any kind. */
export async function testScan(scanner: CodeScanner, person: Person | undefined, patienceMs: number): Promise<Finding> {
  if (!person) return skip('scan', unattended);
  person.show(`Show any bar code or QR code to the scanner (${patienceMs / 1000} s).`);
  const remedy = 'its light; its interface must be USB COM or serial, with a line end after the code';
  try {
    const outcome = await scanner.scan(AbortSignal.timeout(patienceMs));
    if (outcome.kind === 'code') return pass('scan', `a code of ${outcome.text.length} characters was read`);
    const text = outcome.kind === 'tryAgain' ? 'what it read is no code' : 'nothing was read';
    return fail('scan', text, remedy);
  } catch (error) {
    if (!(error instanceof DeviceError)) throw error;
    return fail('scan', error.message, remedy);
  }
}
