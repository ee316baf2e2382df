import type { Daemon } from '../daemon.ts';
import type { Dice } from '../dice.ts';
import type { Disk } from '../disk.ts';
import type { Log } from '../log.ts';
import type { VirtualTime } from '../virtual-time.ts';
import type { WalletServer } from './host.ts';
import type { WalletEntry } from './orders.ts';

/** The parts of the world that are used here. */
interface Options {
  readonly wallet: WalletServer;
  readonly time: VirtualTime;
  readonly log: Log;
  readonly disk: Disk;
  readonly daemon: Daemon | undefined;
}

const delayMs = { least: 130_000, most: 3_600_000 };

/**
 * Makes some orders be paid minutes or hours after their host has ended them. Orders in settled batches are excluded:
 * no terminal could notice it. It has dice of its own, so that schedules without such a payment stay the same.
 */
export function payOrdersLate(world: Options, dice: Dice): void {
  const { wallet, time, log, disk } = world;
  const settles = () => world.daemon?.terminal.isSettling !== false;
  const isLeftAlone = (entry: WalletEntry, closedMs: number) =>
    settles() || disk.settledMs >= closedMs || !disk.transactions.some((id) => entry.tradeNo.startsWith(`${id}-`));
  wallet.onClosed = (entry) => {
    const closedMs = time.elapsedMs;
    if (settles() || !dice.odds(wallet.manners.postsLate)) return;
    time.in(dice.between(delayMs.least, delayMs.most), () => {
      if (isLeftAlone(entry, closedMs)) return;
      log.counted('wallet order paid long after it was closed');
      wallet.paidAfterClosing(entry);
    });
  };
}
