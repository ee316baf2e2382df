import { terminalTransactionId } from '../../base/domain/identifiers.ts';
import { withinMs } from '../../base/ports/pause.ts';
import { type SettleAnswer, stopping } from './answers.ts';
import type { ExclusiveWindow } from './exclusive-window.ts';
import { type Occupancy, joinSettlement, ownerOf, type CurrentSettlement } from './current-transaction.ts';
import type { RunParts } from './parts.ts';
import type { SettlementRequest } from './request.ts';
import { settleBatches } from './settlement/settlement.ts';

/** Pause after a failure, because a failing disk usually fails for a while. */
const takeUpMs = 10_000;

/** How long a settlement waits for the one that runs. */
const turnMs = 120_000;

/** The terminal's settlements: one at a time. One that a restart or a failing journal interrupted continues later. */
export class Settlements {
  readonly #parts: RunParts;
  readonly #occupancy: Occupancy;
  readonly #exclusiveWindow: ExclusiveWindow;
  #takeUpTimer: unknown;

  constructor(parts: RunParts, occupancy: Occupancy, exclusiveWindow: ExclusiveWindow) {
    this.#parts = parts;
    this.#occupancy = occupancy;
    this.#exclusiveWindow = exclusiveWindow;
  }

  /**
   * Settles the open batches; or joins the running settlement, or repeats the answer, of the same identity. Rejects
   * with JournalError.
   */
  async settle(request: SettlementRequest): Promise<SettleAnswer> {
    const occupancy = this.#occupancy;
    const { journal, clock } = this.#parts;
    for (let turns = 0; ; turns++) {
      const same = occupancy.settlementOf(request);
      if (same) return joinSettlement(same, request);
      const { transaction: payment, settlement: existing } = await journal.findIdentity(
        request.posId,
        request.messageId,
      );
      const sameNow = occupancy.settlementOf(request);
      if (sameNow) return joinSettlement(sameNow, request);
      if (!existing && (payment || occupancy.paymentOf(request))) return { kind: 'otherRequest' };
      if (existing?.digest === request.digest && existing.results) return { kind: 'ended', settlement: existing };
      // A settlement that a restart interrupted has no results: the same request continues it.
      if (existing && existing.digest !== request.digest) return { kind: 'otherRequest' };
      if (occupancy.isClosing) return { kind: 'notReady', ...stopping };
      if (occupancy.payment) return { kind: 'busy', owner: ownerOf(occupancy.payment) };
      if (!occupancy.settlement) return joinSettlement(this.#occupy(request, existing?.id), request);
      if (turns > 0) return { kind: 'busy', owner: ownerOf(occupancy.settlement) };
      await withinMs(occupancy.settlement.done, turnMs, clock);
    }
  }

  /** Continues interrupted settlements after `ms`, and tries again later if that is not possible then. */
  takeUpIn(ms: number): void {
    const { clock, onFailure } = this.#parts;
    clock.clearTimeout(this.#takeUpTimer);
    if (this.#occupancy.isClosing) return;
    this.#takeUpTimer = clock.setTimeout(() => {
      this.#takeUp().catch((error: unknown) => {
        onFailure?.(error);
        this.takeUpIn(takeUpMs);
      });
    }, ms);
  }

  close(): void {
    this.#parts.clock.clearTimeout(this.#takeUpTimer);
  }

  #occupy(request: SettlementRequest, id = this.#newId()): CurrentSettlement {
    const { events, room } = this.#parts;
    const { posId, messageId } = request;
    const counter = {
      exclusively: <T>(work: () => Promise<T>) => this.#exclusiveWindow.run(work),
      takesBatch: room.takesBatch,
      isStopping: () => this.#occupancy.isClosing,
    };
    const done = Promise.resolve()
      .then(() => {
        events?.emit({ state: 'settling', posId, messageId });
        return settleBatches(id, request, this.#parts, counter);
      })
      .finally(() => {
        this.#occupancy.settlement = undefined;
        room.forget();
        if (!this.#occupancy.payment) events?.emit({ state: 'idle' });
      });
    // Also if the settlement was never journalled: then there is nothing to continue.
    done.catch(() => this.takeUpIn(takeUpMs));
    const current = { request, done };
    this.#occupancy.settlement = current;
    return current;
  }

  #newId() {
    const { clock, random } = this.#parts;
    return terminalTransactionId(clock.now(), random.bytes(10));
  }

  /** Continues settlements that a restart or a failing journal has interrupted. Rejects with JournalError. */
  async #takeUp(): Promise<void> {
    for (const settlement of await this.#parts.journal.unfinishedSettlements()) {
      const { kind } = await this.settle(settlement);
      // The terminal is busy, or the journal still fails: tried again later.
      if (kind !== 'ended') return this.takeUpIn(takeUpMs);
    }
  }
}
