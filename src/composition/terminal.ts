import type { Configuration } from '../config/configuration.ts';
import type { OpenedRoom } from '../method/method-room.ts';
import type { Methods } from '../method/methods.ts';
import type { OctopusReader } from '../ports/octopus-reader.ts';
import type { Log } from '../supervision/log.ts';
import type { TerminalParts } from '../terminal/parts.ts';
import { Terminal } from '../terminal/terminal.ts';
import type { Acquirers } from './acquirers.ts';
import type { Devices } from './devices.ts';
import { openMethods } from './methods.ts';

/** The payment methods, with the devices of this terminal. */
export function makeMethods(
  { timeouts }: Configuration,
  { cardAcquirers, wallets }: Acquirers,
  octopus: OctopusReader | undefined,
  { reader, scanner, printer }: Devices,
  rooms: readonly OpenedRoom[],
): Methods {
  const { walletPollMs, walletResolveMs, octopusIncompleteMs, octopusSilentMs, octopusRetryMs } = timeouts;
  return openMethods({
    reader,
    cardAcquirers,
    wallets,
    scanner,
    octopus,
    openDrawer: printer && (() => printer.openDrawer()),
    waits: { walletPollMs, walletResolveMs, octopusIncompleteMs, octopusSilentMs, octopusRetryMs },
    more: rooms.map(({ method }) => method),
  });
}

/** The terminal with its configuration. `parts`: what was opened for it. */
export function makeTerminal(
  { timeouts, rules, screen }: Configuration,
  parts: Omit<TerminalParts, 'timeouts' | 'rules' | 'currency' | 'onFailure'>,
  log: Log,
): Terminal {
  const { collectMs, pinMs, walletMs, reversalWaitMs } = timeouts;
  return new Terminal({
    ...parts,
    rules,
    currency: screen.currency,
    timeouts: { collectMs, pinMs, walletMs, reversalWaitMs, outcomeMs: screen.outcomeMs },
    onFailure: (error) => log.failure('transaction', error),
  });
}
