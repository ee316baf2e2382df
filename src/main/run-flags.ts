import { parseArgs } from 'node:util';
import { UsageError } from '../base/usage-error.ts';

const options = {
  sim: { type: 'boolean' },
  config: { type: 'string' },
  port: { type: 'string' },
  'screen-port': { type: 'string' },
  'sim-port': { type: 'string' },
  'state-dir': { type: 'string' },
  'sim-dir': { type: 'string' },
  auto: { type: 'boolean' },
  reader: { type: 'string' },
  carrier: { type: 'string' },
  key: { type: 'string' },
  'quick-chip': { type: 'boolean' },
  'plain-hosts': { type: 'boolean' },
  mac: { type: 'string' },
  'mac-key': { type: 'string' },
  wallets: { type: 'string' },
  dialect: { type: 'string' },
} as const;

/** The flags of `poid run`. They are checked without loading the daemon. */
export interface RunFlags {
  readonly sim?: boolean | undefined;
  readonly config?: string | undefined;
  readonly port?: string | undefined;
  readonly 'screen-port'?: string | undefined;
  readonly 'sim-port'?: string | undefined;
  readonly 'state-dir'?: string | undefined;
  readonly 'sim-dir'?: string | undefined;
  readonly auto?: boolean | undefined;
  readonly reader?: string | undefined;
  readonly carrier?: string | undefined;
  readonly key?: string | undefined;
  readonly 'quick-chip'?: boolean | undefined;
  readonly 'plain-hosts'?: boolean | undefined;
  readonly mac?: string | undefined;
  readonly 'mac-key'?: string | undefined;
  readonly wallets?: string | undefined;
  readonly dialect?: string | undefined;
}

/** Undefined if they are not the flags of `run`, or ask for help: the table of commands has the words for it. */
export function parseRunFlags(words: string[]): RunFlags | undefined {
  try {
    return parseArgs({ args: words, options }).values;
  } catch {
    return undefined;
  }
}

/** The settings of the flags, which override the configuration. Throws UsageError. */
export function overridesOf(flags: RunFlags): Record<string, unknown> {
  const { reader, carrier, key, mac, auto, wallets, dialect, 'quick-chip': quickChip } = flags;
  const device = reader ?? carrier ?? key ?? quickChip;
  const hosts = flags['plain-hosts'] ?? mac ?? flags['mac-key'] ?? wallets ?? dialect;
  const simulated = flags['sim-port'] ?? flags['sim-dir'] ?? auto ?? device ?? hosts;
  if (!flags.sim && simulated !== undefined) {
    throw new UsageError(
      '--sim-port, --sim-dir, --reader, --carrier, --key, --quick-chip, --plain-hosts, --mac, --mac-key, --wallets, --dialect and --auto go with --sim',
    );
  }
  const stateDir = flags['state-dir'] ?? (flags.sim ? '.poid/state' : undefined);
  return {
    ...(stateDir === undefined ? {} : { stateDir }),
    http: portOverride(flags.port, '--port'),
    screen: portOverride(flags['screen-port'], '--screen-port'),
  };
}

function portOverride(text: string | undefined, flag: string): { port?: number } {
  if (text === undefined) return {};
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new UsageError(`${flag} takes a number from 0 to 65535`);
  return { port: Number(text) };
}
