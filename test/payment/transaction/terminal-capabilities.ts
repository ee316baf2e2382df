import type { CardReader } from '../../../src/base/ports/card-reader.ts';
import type { CodeScanner } from '../../../src/base/ports/code-scanner.ts';
import type { OctopusReader } from '../../../src/base/ports/octopus-reader.ts';
import type { AcquirerProfile } from '../../../src/payment/transaction/acquirer-profile.ts';
import type { TerminalCapabilities } from '../../../src/payment/transaction/terminal-capabilities.ts';
import { wallets } from '../../support/wallets.ts';
import { openMethods } from '../terminal/stage-methods.ts';

/** What stands on the counter beside a card reader and an Octopus reader. */
export interface Equipment {
  readonly scanner: boolean;
  /** The card reader has a PIN pad. */
  readonly pinPad: boolean;
}

const ready = { state: 'ready' } as const;

/** The terminal's own methods, on devices that stand ready and are asked for nothing. */
export function terminalCapabilitiesOf(
  profiles: readonly AcquirerProfile[],
  { scanner, pinPad }: Equipment,
): TerminalCapabilities {
  const { modes } = openMethods({
    reader: { ...ready, ...(pinPad ? { pinPad: ready } : {}) } as unknown as CardReader,
    cardAcquirers: new Map(),
    wallets: new Map(),
    profiles: wallets,
    scanner: scanner ? (ready as unknown as CodeScanner) : undefined,
    octopus: ready as unknown as OctopusReader,
    openDrawer: undefined,
    waits: { walletPollMs: 0, walletResolveMs: 0, octopusIncompleteMs: 0, octopusSilentMs: 0, octopusRetryMs: 0 },
  });
  return { profiles, modes };
}
