import { methodSamples, type SampleName } from './methods.ts';
import type { MethodSample } from './settings-part.ts';

/** What a sample can have. */
export const sampleNames = Object.keys(methodSamples) as SampleName[];

/** Settings of a terminal of one's own, each by its path. */
export interface Sample {
  readonly configuration: object;
  /** Paths of settings that hold an example: the contract, the shop or the machine has the real value. */
  readonly examples: readonly string[];
}

/** A small configuration that can be used, with an example in place of each value that only its owner knows. */
export function sampleConfiguration(names: readonly SampleName[]): Sample {
  const samples: readonly MethodSample[] = sampleNames.filter((name) => names.includes(name)).map(sampleOf);
  const hosted = names
    .map(sampleOf)
    .flatMap(({ acquirer, examples = [] }) => (acquirer ? [{ acquirer, examples }] : []));
  const configuration = {
    timeZone: 'Asia/Hong_Kong',
    shop: { name: 'Harbour Tea House', address: '1 Pier Road, Hong Kong', phone: '', email: '' },
    http: { tls: true },
    pairing: { required: true, rights: { 'POS-1': { reportAll: false } } },
    reader: { driver: 'neo2', path: '/dev/poid/reader' },
    printer: { driver: 'escpos', path: '/dev/poid/printer', baudRate: 115_200, columns: 48 },
    ...Object.assign({}, ...samples.map(({ equipment }) => equipment)),
    acquirers: hosted.map(({ acquirer }, at) => acquirer(at)),
    settlement: { dailyAt: '23:30' },
  };
  const owned = hosted.flatMap(({ examples }, at) => examples.map((setting) => `acquirers.${at}.${setting}`));
  const devices = Object.entries(configuration as object).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null && 'path' in value ? [`${name}.path`] : [],
  );
  return { configuration, examples: ['shop.name', 'shop.address', 'pairing.rights', ...devices, ...owned] };
}

function sampleOf(name: SampleName): MethodSample {
  return methodSamples[name];
}
