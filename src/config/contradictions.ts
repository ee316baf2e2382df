import { isIPv6 } from 'node:net';
import path from 'node:path';
import { isLoopback } from '../base/domain/loopback.ts';
import { tipContradictions } from '../options/tip/settings.ts';
import type { Contradiction } from './contradiction.ts';
import type { Configuration } from './settings.ts';
import { ofWallets } from './wallet-contradictions.ts';

type Device = 'reader' | 'printer' | 'scanner' | 'octopus';
type Checked = Pick<
  Configuration,
  'acquirers' | 'methods' | 'wallets' | 'timeouts' | 'rules' | 'tips' | 'cloud' | 'fleet' | Device
>;

/** Checks between parts that are valid by themselves. */
export function contradictions(configuration: Checked): Contradiction[] {
  const checks = [ofDevices, ofAcquirers, ofMethods, ofWallets, ofTimes, ofCollectTimes, tipContradictions, ofFleet];
  return checks.flatMap((check) => check(configuration));
}

/** Each configured device: the name of its setting, and its device node or socket. */
export function devicePaths({ reader, printer, scanner, octopus }: Pick<Checked, Device>): [string, string][] {
  // A reader that is on a serial line only has no such key.
  const hid = 'hid' in reader ? reader.hid : undefined;
  const all = [
    ['reader.path', reader.path],
    ['reader.hid.path', hid?.path],
    ['reader.hid.stream', hid?.stream],
    ['printer.path', printer?.path],
    ['scanner.path', scanner?.path],
    ['octopus.path', octopus?.path],
  ] as const;
  return all.flatMap(([name, node]) => (node === undefined ? [] : [[name, path.resolve(node)]]));
}

/** Two drivers on one device would take each other's bytes. */
function ofDevices(configuration: Checked): Contradiction[] {
  return findRepeated(devicePaths(configuration)).map(([name, first]) => ({
    path: name.split('.'),
    message: `is the device of ${first} too: each needs its own`,
  }));
}

function ofAcquirers({ acquirers }: Checked): Contradiction[] {
  const ids = acquirers.map(({ id }, at) => [String(at), id] as const);
  const links = acquirers.flatMap((each, at) => {
    if (each.protocol !== 'iso8583') return [];
    return [[String(at), JSON.stringify([hostOf(each.host), each.port, each.tid])] as const];
  });
  return [
    ...acquirers.flatMap(({ kinds = [] }, at) => ofHolds(kinds, ['acquirers', at, 'kinds'])),
    ...findRepeated(ids).map(([at, first]) => ({
      path: ['acquirers', Number(at), 'id'],
      message: `is that of acquirers.${first} too: each id may be used once`,
    })),
    ...acquirers.flatMap((each, at) =>
      each.id === 'EPS' && each.currencies.some((currency) => currency !== 'HKD')
        ? [{ path: ['acquirers', at, 'currencies'], message: 'is HKD alone for EPS' }]
        : [],
    ),
    // The host identifies transactions by terminal and trace number, and each acquirer counts its own trace numbers.
    ...findRepeated(links).map(([at, first]) => ({
      path: ['acquirers', Number(at), 'tid'],
      message: `is that of acquirers.${first} at the same host and port: their trace numbers would collide`,
    })),
  ];
}

/** An authorization that can't be completed, or not be released, holds a customer's money. */
function ofHolds(kinds: readonly string[], place: Contradiction['path']): Contradiction[] {
  if (!kinds.includes('AUTH')) return [];
  const isCompleted = kinds.includes('AUTH_COMP') || kinds.includes('OFFLINE_SALE');
  const lacking = [
    ...(isCompleted ? [] : ['AUTH_COMP or OFFLINE_SALE']),
    ...(kinds.includes('VOID_AUTH') ? [] : ['VOID_AUTH']),
  ];
  return lacking.map((each) => ({ path: place, message: `has AUTH without ${each}: what is held could not be ended` }));
}

/** Batches are stored by the name of their acquirer. */
function ofMethods({ acquirers, methods }: Checked): Contradiction[] {
  const taken = ['OCTOPUS', 'CASH', ...acquirers.map(({ id }) => id as string)];
  return methods.flatMap(({ id }, at) =>
    taken.includes(id) || methods.findIndex((each) => each.id === id) < at
      ? [{ path: ['methods', at, 'id'], message: 'is the name of another acquirer: each name may be used once' }]
      : [],
  );
}

/** Normalizes a host name: an address has several spellings, and this machine several addresses. */
function hostOf(written: string): string {
  const bracketed = isIPv6(written) ? `[${written}]` : written;
  const name = (URL.canParse(`http://${bracketed}`) ? new URL(`http://${bracketed}`).hostname : written)
    .toLowerCase()
    .replace(/\.$/, '');
  // `::ffff:127.0.0.1`, as the URL standard writes it.
  const isOwn =
    isLoopback(name) || name.endsWith('.localhost') || /^\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\]$/.test(name);
  return isOwn ? 'localhost' : name;
}

/** What a request may ask for has a range. */
function ofCollectTimes({ timeouts: { collectLeastMs, collectMostMs } }: Checked): Contradiction[] {
  if (collectLeastMs <= collectMostMs) return [];
  return [{ path: ['timeouts', 'collectLeastMs'], message: 'must not be more than timeouts.collectMostMs' }];
}

/** A request may be answered up to its reply time-out. Only after that can "no record" be final. */
function ofTimes({ acquirers, timeouts: { noRecordGraceMs } }: Checked): Contradiction[] {
  const slower = acquirers.find((each) => each.protocol === 'iso8583' && each.replyTimeoutMs >= noRecordGraceMs);
  if (!slower) return [];
  const message = `it must be longer than the replyTimeoutMs of the acquirer ${slower.id}`;
  return [{ path: ['timeouts', 'noRecordGraceMs'], message }];
}

/** Its documents would never come. */
function ofFleet({ fleet, cloud }: Checked): Contradiction[] {
  if (!fleet || cloud) return [];
  return [{ path: ['fleet'], message: 'needs cloud: its documents come through that broker' }];
}

/** Names whose value occurs earlier, each with the first name of that value. */
function findRepeated(named: readonly (readonly [name: string, value: string])[]): [name: string, first: string][] {
  return named.flatMap(([name, value], at) => {
    const first = named.findIndex(([, other]) => other === value);
    return first < at ? [[name, named[first]?.[0] ?? '']] : [];
  });
}
