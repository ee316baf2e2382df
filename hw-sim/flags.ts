import path from 'node:path';
import { parseArgs } from 'node:util';
import { type readerKeys, type SiteBooks, siteBooks } from './configuration.ts';
import { type HostMac, hostMacs, type MacKeySource, macKeySources } from './crypto/message-mac.ts';
import { type Carrier, carriers } from './reader/reports/port.ts';
import { type ReaderModel, readerModels } from './reader/simulated.ts';
import { StartError } from './start-error.ts';

/** The command line of the simulator. */
export interface Flags {
  readonly port: number;
  readonly dir: string;
  readonly auto: boolean;
  readonly model: ReaderModel;
  /** Undefined: whichever this machine has. */
  readonly carrier: Carrier | undefined;
  readonly key: keyof typeof readerKeys;
  readonly quickChip: boolean;
  /** The algorithm of the message authentication codes of card hosts; undefined: no codes. */
  readonly mac: HostMac | undefined;
  /** The source of the key of these codes for the host of `dialect`. */
  readonly macKey: MacKeySource;
  /** The card hosts use no TLS. */
  readonly plainHosts: boolean;
  /** The books of the second site of each card host: shared or separate. Undefined: one site. */
  readonly sites: SiteBooks | undefined;
  /** File with the wallets' host's further wallets. */
  readonly wallets: string | undefined;
  /** The dialect file of another card host. */
  readonly dialect: string | undefined;
}

/** Throws StartError. */
export function readFlags(): Flags {
  try {
    const { values } = parseArgs({
      options: {
        'sim-port': { type: 'string', default: '8090' },
        'sim-dir': { type: 'string', default: '.poid/sim' },
        auto: { type: 'boolean', default: false },
        reader: { type: 'string', default: 'neo2' },
        carrier: { type: 'string' },
        key: { type: 'string', default: 'tdes' },
        'quick-chip': { type: 'boolean', default: false },
        'plain-hosts': { type: 'boolean', default: false },
        mac: { type: 'string' },
        sites: { type: 'string' },
        'mac-key': { type: 'string', default: 'fixed' },
        wallets: { type: 'string' },
        dialect: { type: 'string' },
      },
    });
    const text = values['sim-port'];
    if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new Error('--sim-port is a number from 0 to 65535.');
    const { key, auto, wallets, dialect } = values;
    const model = readerModels.find((each) => each === values.reader);
    if (model === undefined) throw new Error(`--reader is one of ${readerModels.join(', ')}.`);
    const carrier = carriers.find((each) => each === values.carrier);
    if (carrier !== values.carrier) throw new Error(`--carrier is one of ${carriers.join(', ')}.`);
    if (model === 'neo2' && carrier) throw new Error('--carrier goes with a HID reader: neo2-hid or mms.');
    if (key !== 'tdes' && key !== 'aes') throw new Error('--key is tdes or aes.');
    const quickChip = values['quick-chip'];
    if (model === 'mms' && key === 'aes') throw new Error('--key aes goes with a NEO2 reader.');
    if (model === 'mms' && quickChip) throw new Error('--quick-chip goes with a NEO2 reader.');
    const dir = path.resolve(values['sim-dir']);
    const plainHosts = values['plain-hosts'];
    const mac = hostMacs.find((each) => each === values.mac);
    if (mac !== values.mac) throw new Error(`--mac is one of ${hostMacs.join(', ')}.`);
    const sites = siteBooks.find((each) => each === values.sites);
    if (sites !== values.sites) throw new Error(`--sites is one of ${siteBooks.join(', ')}.`);
    const macKey = macKeySources.find((each) => each === values['mac-key']);
    if (!macKey) throw new Error(`--mac-key is one of ${macKeySources.join(', ')}.`);
    if (macKey !== 'fixed' && !(mac && dialect)) throw new Error('--mac-key goes with --mac and --dialect.');
    if (macKey === 'dukpt' && mac === 'aesCmac')
      throw new Error('--mac-key dukpt goes with --mac iso9797-1 or iso9797-3.');
    const port = Number(text);
    return { port, dir, auto, model, carrier, key, quickChip, plainHosts, mac, macKey, sites, wallets, dialect };
  } catch (error) {
    throw new StartError(2, error instanceof Error ? error.message : String(error));
  }
}
