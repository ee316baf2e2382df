import type { TerminalTransactionId } from '../../../src/base/domain/identifiers.ts';
import type { Daemon } from '../daemon.ts';
import type { Dice } from '../dice.ts';
import type { Disk } from '../disk.ts';
import type { Log } from '../log.ts';
import type { Operator } from '../operator.ts';
import type { VirtualTime } from '../virtual-time.ts';
import type { WalletServer } from './host.ts';
import type { WalletLine } from './line.ts';

/** The parts of the world that are used here. */
interface Options {
  readonly wallet: WalletServer;
  readonly walletLine: WalletLine;
  readonly time: VirtualTime;
  readonly log: Log;
  readonly disk: Disk;
  readonly operator: Operator;
  readonly daemon: Daemon | undefined;
}

/** All are longer than the lag of the query, and most of them shorter than the operator has to wait. */
const relay = { least: 64_000, most: 150_000 };
const long = { least: 150_000, most: 2 * 3_600_000 };

/**
 * Makes the network hold some refunds and voids, without an answer, and deliver them minutes or hours later to a host
 * that takes them however old they are. Excluded is a refund that the bank has denied, if its batch was settled since:
 * no terminal could notice it. It has dice of its own, so that schedules without such a refund stay the same.
 */
export function holdRefunds(world: Options, dice: Dice): void {
  const { wallet, walletLine, time, log, disk, operator } = world;
  const odds = dice.of([0, 50, 90]);
  if (odds === 0) return;
  const deniedMs = new Map<TerminalTransactionId, number>();
  const { onDecided } = operator;
  operator.onDecided = (id) => {
    deniedMs.set(id, time.elapsedMs);
    onDecided(id);
  };
  wallet.takesOldRefunds = true;
  walletLine.heldMs = (call) => {
    if (call !== 'refund' || !dice.odds(odds)) return 0;
    log.counted('wallet refund held');
    const { least, most } = dice.odds(70) ? relay : long;
    return dice.between(least, most);
  };
  walletLine.arrives = (tradeNo) => {
    const owner = disk.transactions.find((id) => tradeNo.startsWith(`${id}-`));
    if (!owner) return false;
    const sinceMs = deniedMs.get(owner);
    if (sinceMs === undefined) return true;
    const isLate = world.daemon?.terminal.isSettling !== false || disk.settledMs >= sinceMs;
    if (!isLate) log.counted('wallet refund held until after the decision');
    return !isLate;
  };
}
