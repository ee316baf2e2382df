import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import * as z from 'zod';
import { type DialectFile, settingSizes } from './host/iso8583/dialect/file.ts';
import { DialectWire } from './host/iso8583/dialect/dialect-wire.ts';
import { testAppCode, testClientKey } from './host/qfpay/host.ts';
import { initialKey } from './crypto/dukpt.ts';
import { type HostMac, type MacKeySource, testMacKeys } from './crypto/message-mac.ts';
import type { TerminalFiles } from './tls/host-tls.ts';
import type { ReaderWire } from './reader/simulated.ts';

/**
 * The published DUKPT test key and its initial key serial number (ANSI X9.24-1, annex A). Test data: no real terminal
 * may ever hold them.
 */
export const testBdk = Buffer.from('0123456789ABCDEFFEDCBA9876543210', 'hex');
export const testIksn = Buffer.from('FFFF9876543210E00000', 'hex');

/** The serial number of the terminal's initial key for authentication codes; the reader has another. */
export const testMacKsn = Buffer.from('FFFF9876543211000000', 'hex');

/** The same of AES DUKPT (supplement to ANSI X9.24-3:2017). */
export const testAesBdk = Buffer.from('FEDCBA9876543210F1F1F1F1F1F1F1F1', 'hex');
const testAesIksn = Buffer.from('123456789012345600000000', 'hex');

/** Key scheme of the reader: TDES or AES DUKPT. */
export const readerKeys = {
  tdes: { bdk: testBdk, ksn: testIksn },
  aes: { bdk: testAesBdk, ksn: testAesIksn },
} as const;

/**
 * The acquirers whose hosts run here, with their merchant and terminal ids. A UnionPay card goes to CUP, the first
 * acquirer that takes it, and to EDC if the POS forces that: a card of two networks.
 */
export const simulatedAcquirers = [
  { id: 'CUP', tid: '87654321', mid: '543210987654321', nii: '004', tpdu: '6000040000', brands: ['UNIONPAY'] },
  {
    id: 'EDC',
    tid: '12345678',
    mid: '123456789012345',
    nii: '003',
    tpdu: '6000030000',
    brands: ['VISA', 'MASTER', 'AMEX', 'JCB', 'UNIONPAY'],
  },
  { id: 'EPS', tid: '24682468', mid: '246824682468246', nii: '005', tpdu: '6000050000', brands: ['EPS'] },
] as const;

/** The acquirer of `--dialect FILE`. */
export const simulatedBank = {
  id: 'BANK',
  tid: '13572468',
  mid: '135724681357246',
  nii: '006',
  tpdu: '6000060000',
  brands: ['VISA', 'MASTER', 'AMEX', 'JCB'],
} as const;

/** Whether the two sites of a card host share their books. */
export const siteBooks = ['shared', 'separate'] as const;
export type SiteBooks = (typeof siteBooks)[number];

/** The name of the second site of a card host. */
export function secondSite(id: string): string {
  return `${id}-2`;
}

/** What the card hosts take, EPS's but HKD alone: currencies with two, no and three decimals. */
const simulatedCurrencies = ['HKD', 'CNY', 'USD', 'JPY', 'KWD'] as const;

/** The wallet host, with its id of this terminal. */
export const simulatedWallets = { id: 'QR', tid: 'POID0001' } as const;

/** Honeywell's serial trigger commands (SYN T CR, SYN U CR). */
const scannerTrigger = { on: '16540D', off: '16550D' };

export interface Wiring {
  readonly reader: ReaderWire;
  /** Absolute paths, where the daemon opens the devices. */
  readonly printerPath: string;
  readonly scannerPath: string;
  /** The Octopus agent's Unix socket. */
  readonly octopusPath: string;
  /** Acquirer → TCP port of its host, and the ports of second sites. */
  readonly hostPorts: ReadonlyMap<string, number>;
  /** Undefined: each host has one site. */
  readonly sites?: SiteBooks | undefined;
  /** The TLS files of card hosts and terminal; undefined: no TLS. */
  readonly lineFiles?: TerminalFiles | undefined;
  /** The algorithm of their message authentication codes; undefined: no codes. */
  readonly mac?: HostMac | undefined;
  /** The source of the key of these codes for `bank`; undefined: fixed. */
  readonly macKey?: MacKeySource | undefined;
  readonly bank?: SimulatedBank | undefined;
}

/** The host of `--dialect FILE`. */
export interface SimulatedBank {
  /** Absolute path of the file. */
  readonly path: string;
  readonly dialect: DialectFile;
}

/** The daemon's configuration for this simulator. */
export function daemonConfiguration(wiring: Wiring): object {
  return {
    shop: { name: 'Harbour Tea House', address: '1 Pier Road, Hong Kong', phone: '', email: '', logo: '' },
    reader: wiring.reader,
    printer: { driver: 'escpos', path: wiring.printerPath, baudRate: 115200, columns: 48 },
    scanner: { driver: 'line', path: wiring.scannerPath, baudRate: 115200, trigger: scannerTrigger },
    octopus: { driver: 'agent', path: wiring.octopusPath },
    cash: true,
    tips: { percents: [10, 15, 20], amounts: { HKD: [1000, 2000], JPY: [100, 500] }, ownAmount: true },
    timeouts: { walletPollMs: 500 },
    acquirers: [
      ...bankAcquirers(wiring),
      ...cardAcquirers(wiring),
      {
        ...simulatedWallets,
        protocol: 'qfpay',
        url: `http://127.0.0.1:${wiring.hostPorts.get(simulatedWallets.id)}`,
        appCode: testAppCode,
        clientKey: testClientKey,
        connectTimeoutMs: 1000,
        replyTimeoutMs: 6000,
      },
    ],
  };
}

/** Its acquirer comes first, so that it takes the cards that EDC also takes. */
function bankAcquirers({ bank, hostPorts, lineFiles, mac, macKey }: Wiring): object[] {
  if (!bank) return [];
  const { id, tid, mid, nii, tpdu, brands } = simulatedBank;
  const settings = settingSizes(bank.dialect);
  const values = Object.fromEntries(settings.map(([name, size]) => [name, '1'.repeat(size)]));
  return [
    {
      id,
      protocol: 'iso8583',
      host: '127.0.0.1',
      port: hostPorts.get(id),
      tid,
      mid,
      nii,
      ...(bank.dialect.framing.tpdu ? { tpdu } : {}),
      ...macOf(mac, new DialectWire(bank.dialect).lastField, macKey),
      dialect: bank.path,
      security: lineFiles ? securityWith(lineFiles) : 'none',
      ...(settings.length > 0 ? { values } : {}),
      brands,
      currencies: simulatedCurrencies,
      connectTimeoutMs: 1000,
      replyTimeoutMs: 6000,
    },
  ];
}

function cardAcquirers(wiring: Wiring): object[] {
  return simulatedAcquirers.map(({ id, tid, mid, nii, tpdu, brands }) => ({
    id,
    protocol: 'iso8583',
    ...placeOf(id, wiring),
    tid,
    mid,
    nii,
    tpdu,
    brands,
    ...macOf(wiring.mac, 64),
    security: wiring.lineFiles ? securityWith(wiring.lineFiles) : 'none',
    ...(id === 'EPS' ? {} : { currencies: simulatedCurrencies }),
    connectTimeoutMs: 1000,
    replyTimeoutMs: 6000,
  }));
}

function placeOf(id: string, { hostPorts, sites }: Wiring): object {
  const at = (name: string) => ({ host: '127.0.0.1', port: hostPorts.get(name) });
  if (!sites) return at(id);
  return { sites: [at(id), at(secondSite(id))], books: id, sharedBooks: sites === 'shared' };
}

function macOf(algorithm: HostMac | undefined, field: 64 | 128, source: MacKeySource = 'fixed'): object {
  if (algorithm === undefined) return {};
  const key = testMacKeys[algorithm].toString('hex');
  const keys = {
    fixed: { fixed: key },
    session: { session: { keyEncryptingKey: key } },
    dukpt: { dukpt: { initialKey: initialKey(testBdk, testMacKsn).toString('hex'), ksn: testMacKsn.toString('hex') } },
  } as const;
  return { mac: { algorithm, key: keys[source], field } };
}

function securityWith({ ca, clientCertificate, clientKeyFile }: TerminalFiles): object {
  return { tls: { ca, clientCertificate, clientKeyFile } };
}

/** Replaces the file in one step: a reader sees the old or the new one, never a part. */
export async function writeConfiguration(path: string, wiring: Wiring): Promise<void> {
  const temporary = `${path}.${process.pid}`;
  // An earlier process with this id may have left it.
  await rm(temporary, { force: true });
  const text = `${JSON.stringify(daemonConfiguration(wiring), null, 2)}\n`;
  // The file holds a key, so only its owner may read it, as on a terminal. No link is followed.
  await writeFile(temporary, text, { mode: 0o600, flag: 'wx' });
  await rename(temporary, path);
}

const earlier = z.object({
  acquirers: z.array(
    z.union([
      z.object({ id: z.string(), port: z.int().min(1).max(65_535) }),
      z.object({ id: z.string(), sites: z.array(z.object({ port: z.int().min(1).max(65_535) })).min(1) }),
      z.object({ id: z.string(), url: z.string().regex(/:\d{1,5}$/) }),
    ]),
  ),
});

/**
 * The host ports of an earlier run, so that a daemon with that configuration finds the hosts again. Empty if the file
 * is missing or unreadable: then any free port is used.
 */
export async function earlierPorts(path: string): Promise<ReadonlyMap<string, number>> {
  try {
    const { acquirers } = earlier.parse(JSON.parse(await readFile(path, 'utf8')));
    return new Map(
      acquirers.flatMap((each): [string, number][] => {
        if ('port' in each) return [[each.id, each.port]];
        if ('url' in each) return [[each.id, Number(each.url.slice(each.url.lastIndexOf(':') + 1))]];
        return each.sites.map(({ port }, at) => [at === 0 ? each.id : secondSite(each.id), port]);
      }),
    );
  } catch {
    return new Map();
  }
}
