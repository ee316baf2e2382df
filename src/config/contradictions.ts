import { isIPv6 } from 'node:net';
import path from 'node:path';
import { isLoopback } from '../domain/loopback.ts';
import type { Configuration } from './settings.ts';

/** A place of the configuration that can't stand beside another one. */
export interface Contradiction {
  readonly path: readonly (string | number)[];
  /** After the place: 'has the path of reader'. */
  readonly message: string;
}

type Checked = Pick<Configuration, 'acquirers' | 'methods' | 'reader' | 'printer' | 'scanner' | 'octopus' | 'timeouts'>;

/** What each part allows, and all of them together don't. */
export function contradictions(configuration: Checked): Contradiction[] {
  const checks = [ofDevices, ofAcquirers, ofMethods, ofWallets, ofTimes];
  return checks.flatMap((check) => check(configuration));
}

/** Each device's name in the configuration, and the node or socket that it is opened at. */
export function devicePaths({
  reader,
  printer,
  scanner,
  octopus,
}: Omit<Checked, 'acquirers' | 'methods' | 'timeouts'>): [string, string][] {
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

/** Two programs on one line would take each other's bytes. */
function ofDevices(configuration: Checked): Contradiction[] {
  return findRepeated(devicePaths(configuration)).map(([name, first]) => ({
    path: name.split('.'),
    message: `is the device of ${first} too: each has one of its own`,
  }));
}

function ofAcquirers({ acquirers }: Checked): Contradiction[] {
  const ids = acquirers.map(({ id }, at) => [String(at), id] as const);
  const links = acquirers.flatMap((each, at) => {
    if (each.protocol !== 'iso8583') return [];
    return [[String(at), JSON.stringify([hostOf(each.host), each.port, each.tid])] as const];
  });
  return [
    ...findRepeated(ids).map(([at, first]) => ({
      path: ['acquirers', Number(at), 'id'],
      message: `is that of acquirers.${first}: each acquirer is there once`,
    })),
    // The host tells transactions apart by terminal and trace number, and each acquirer counts its own.
    ...findRepeated(links).map(([at, first]) => ({
      path: ['acquirers', Number(at), 'tid'],
      message: `is that of acquirers.${first} at the same host and port: their trace numbers would meet`,
    })),
  ];
}

/** Batches are kept by the name of their acquirer. */
function ofMethods({ acquirers, methods }: Checked): Contradiction[] {
  const taken = ['OCTOPUS', 'CASH', ...acquirers.map(({ id }) => id as string)];
  return methods.flatMap(({ id }, at) =>
    taken.includes(id) || methods.findIndex((each) => each.id === id) < at
      ? [{ path: ['methods', at, 'id'], message: 'is the name of another acquirer: each is there once' }]
      : [],
  );
}

/** One host by whatever name it is written: an address has several spellings, and this machine several addresses. */
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

/** What a customer shows, and what a host says of an order, is of one wallet by its pay_type. */
function ofWallets({ acquirers }: Checked): Contradiction[] {
  return acquirers.flatMap((each, at) => {
    if (each.protocol !== 'qfpay') return [];
    const { scanned, presented } = each;
    if (scanned && presented && Object.keys(scanned).length + Object.keys(presented).length === 0) {
      return [{ path: ['acquirers', at, 'scanned'], message: 'is empty, and presented too: it offers no wallet' }];
    }
    const types = (['scanned', 'presented'] as const).flatMap((way) =>
      Object.entries(each[way] ?? {}).map(([wallet, type]) => ({ way, wallet, type })),
    );
    return types.flatMap(({ way, wallet, type }, index) => {
      const first = types.slice(0, index).find((earlier) => earlier.type === type && earlier.wallet !== wallet);
      if (!first) return [];
      const message = `is the pay_type of ${first.way}.${first.wallet} too: each wallet has its own`;
      return [{ path: ['acquirers', at, way, wallet], message }];
    });
  });
}

/** A request may be answered as late as its reply time-out: only after it can the host's word that it has no record be the last. */
function ofTimes({ acquirers, timeouts: { noRecordGraceMs } }: Checked): Contradiction[] {
  const slower = acquirers.find((each) => each.protocol === 'iso8583' && each.replyTimeoutMs >= noRecordGraceMs);
  if (!slower) return [];
  const message = `it has to be longer than the replyTimeoutMs of the acquirer ${slower.id}`;
  return [{ path: ['timeouts', 'noRecordGraceMs'], message }];
}

/** Names of which an earlier one has the same value, with that one's. */
function findRepeated(named: readonly (readonly [name: string, value: string])[]): [name: string, first: string][] {
  return named.flatMap(([name, value], at) => {
    const first = named.findIndex(([, other]) => other === value);
    return first < at ? [[name, named[first]?.[0] ?? '']] : [];
  });
}
