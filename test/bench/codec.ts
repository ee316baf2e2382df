import { createRequire } from 'node:module';
import { type HostMessage, dialects } from '../../src/hosts/iso8583/dialect.ts';
import { pack, unpack } from '../../src/codecs/iso8583/message.ts';
import { median } from './percentiles.ts';
import { atLeast, type Report } from './report.ts';

const part = 'codec';
const title = 'ISO 8583, pack and unpack of one sale, per second';
const rounds = 7;

/** What a sale carries that both codecs can: iso_8583 has no binary field 48 and no BCD. */
const text = {
  3: '000000',
  4: '000000003000',
  11: '000001',
  22: '071',
  23: '001',
  24: '003',
  25: '00',
  41: '12345678',
  42: '123456789012345',
  49: '344',
  62: '000001',
} as const;

/** npm iso_8583 2.6.7, as far as it is used here. It returns what went wrong, as an object with `error`. */
interface Iso8583Package {
  getBufferMessage(): Buffer | { error: string };
  getIsoJSON(message: Buffer): Record<string, string> & { error?: string };
}

/** Without types of its own. */
const Package = createRequire(import.meta.url)('iso_8583') as new (data?: object) => Iso8583Package;

export async function codec(messages: number): Promise<Report> {
  const [own, other] = perSecond(messages, [ownRoundTrip, packageRoundTrip]);
  const ratio = median(own) / median(other);
  const rows: [string, number][] = [
    ['src/codecs/iso8583', median(own)],
    ['npm iso_8583', median(other)],
  ];
  const notes = ['one message: eleven fields of a sale, no chip data'];
  return {
    part,
    title,
    columns: ['', 'per s'],
    rows,
    checks: [atLeast('src/codecs/iso8583 / iso_8583', ratio, 10)],
    notes,
  };
}

/** Each of them in turn: what else the machine does slows both. Per second of the processor. */
function perSecond(messages: number, roundTrips: readonly [() => void, () => void]): [number[], number[]] {
  const figures: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round++) {
    for (const side of [0, 1] as const) {
      const from = process.cpuUsage();
      for (let each = 0; each < messages; each++) roundTrips[side]();
      const { user, system } = process.cpuUsage(from);
      // The first one warms up.
      if (round > 0) figures[side].push((messages * 1e6) / (user + system));
    }
  }
  return figures;
}

const message: HostMessage = { mti: '0200', fields: text };

function ownRoundTrip(): void {
  const { fields } = unpack(dialects.EDC.spec, pack(dialects.EDC.spec, message));
  if (fields[62] !== text[62]) throw new Error('the codec lost a field');
}

function packageRoundTrip(): void {
  const packed = new Package({ 0: '0200', ...text }).getBufferMessage();
  if (!Buffer.isBuffer(packed)) throw new Error(`iso_8583 can't pack: ${packed.error}`);
  const { error, 62: invoice } = new Package().getIsoJSON(packed);
  if (invoice !== text[62]) throw new Error(`iso_8583 can't unpack: ${error ?? 'a field is lost'}`);
}
