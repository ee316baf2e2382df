/** What a sample can have: acquirers with a host, and two that have none. */
export const sampleNames = ['EDC', 'CUP', 'EPS', 'QR', 'OCTOPUS', 'CASH'] as const;
export type SampleName = (typeof sampleNames)[number];

/** Settings of a terminal of one's own, each by its path. */
export interface Sample {
  readonly configuration: object;
  /** Paths of settings that hold an example: the contract, the shop or the machine has the real value. */
  readonly examples: readonly string[];
}

const brands = {
  EDC: ['VISA', 'MASTER', 'AMEX', 'JCB'],
  CUP: ['UNIONPAY'],
  EPS: ['EPS'],
} as const;

/** A small configuration that can be used, with an example in place of each value that only its owner knows. */
export function sampleConfiguration(names: readonly SampleName[]): Sample {
  const hosts = names.filter((name) => name !== 'OCTOPUS' && name !== 'CASH');
  const configuration = {
    timeZone: 'Asia/Hong_Kong',
    shop: { name: 'Harbour Tea House', address: '1 Pier Road, Hong Kong', phone: '', email: '' },
    http: { tls: true },
    pairing: { required: true, rights: { 'POS-1': { reportAll: false } } },
    reader: { driver: 'neo2', path: '/dev/poid/reader' },
    printer: { driver: 'escpos', path: '/dev/poid/printer', baudRate: 115_200, columns: 48 },
    ...(names.includes('QR') ? { scanner: { driver: 'line', path: '/dev/poid/scanner', baudRate: 115_200 } } : {}),
    ...(names.includes('OCTOPUS') ? { octopus: { driver: 'agent', path: '/run/octopus/agent' } } : {}),
    ...(names.includes('CASH') ? { cash: true } : {}),
    acquirers: hosts.map((name, at) => (name === 'QR' ? walletAcquirer : cardAcquirer(name, at))),
    settlement: { dailyAt: '23:30' },
  };
  const owned = hosts.flatMap((name, at) =>
    (name === 'QR' ? ['url', 'appCode', 'clientKey', 'tid'] : ['host', 'port', 'tid', 'mid', 'nii', 'tpdu']).map(
      (setting) => `acquirers.${at}.${setting}`,
    ),
  );
  const devices = ['reader', 'printer', 'scanner', 'octopus'].filter((name) => name in configuration);
  return {
    configuration,
    examples: ['shop.name', 'shop.address', 'pairing.rights', ...devices.map((name) => `${name}.path`), ...owned],
  };
}

function cardAcquirer(id: keyof typeof brands, at: number): object {
  return {
    id,
    protocol: 'iso8583',
    // RFC 2606: a name that nobody has.
    host: `${id.toLowerCase()}.acquirer.example`,
    port: 7001 + at,
    tid: `0000000${at + 1}`,
    mid: `00000000000000${at + 1}`,
    nii: `00${at + 1}`,
    tpdu: `60000${at + 1}0000`,
    brands: brands[id],
    currencies: ['HKD'],
  };
}

const walletAcquirer = {
  id: 'QR',
  protocol: 'qfpay',
  url: 'https://wallets.acquirer.example',
  appCode: 'EXAMPLE',
  clientKey: { credential: 'qr' },
  tid: 'TERMINAL1',
};
