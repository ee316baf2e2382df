import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TransactionType } from '../../src/domain/transaction-type.ts';
import { type AcquirerId, acquirerId } from '../../src/domain/identifiers.ts';
import type { ScreenView } from '../../src/ports/screen.ts';
import { Forwarder, type ForwarderNews } from '../../src/terminal/forwarder.ts';
import type { ReceiptQueue } from '../../src/terminal/receipt-queue.ts';
import type { PaymentRequest } from '../../src/terminal/request.ts';
import { type PayAnswer, Terminal } from '../../src/terminal/terminal.ts';
import type { TransactionRecord } from '../../src/transaction/record.ts';
import { ManualClock } from './manual-clock.ts';
import { ScriptedHost } from './scripted-host.ts';
import { type aids, ScriptedReader } from './scripted-reader.ts';
import { StoreJournal } from './store-journal.ts';
import { Trace } from './trace.ts';

export const rules = { completionTolerancePercent: 15, tipPercentMax: 20, tipNeedsSignature: false };
export const timeouts = { collectMs: 120_000, reversalWaitMs: 5_000, outcomeMs: 3_000 };

/** One terminal with everything around it in the test's hand, and a journal on a real file. */
export class Stage {
  readonly dir = mkdtempSync(path.join(tmpdir(), 'poid-terminal-'));
  readonly clock = new ManualClock();
  readonly trace = new Trace();
  readonly reader = new ScriptedReader(this.trace);
  readonly edc = new ScriptedHost('EDC', this.trace);
  readonly cup = new ScriptedHost('CUP', this.trace);
  readonly views: ScreenView[] = [];
  readonly failures: unknown[] = [];
  readonly news: ForwarderNews[] = [];
  receipts: ReceiptQueue | undefined;
  journal: StoreJournal;
  forwarder: Forwarder;
  terminal: Terminal;
  #identifiers = 0;

  constructor(receipts?: ReceiptQueue) {
    this.receipts = receipts;
    this.journal = this.#openJournal();
    this.forwarder = this.#newForwarder();
    this.terminal = this.#newTerminal();
  }

  /** The process is cut off where it stands and started again on what the file holds. */
  async restart(): Promise<void> {
    this.journal.store.close();
    this.journal = this.#openJournal();
    this.forwarder = this.#newForwarder();
    this.terminal = this.#newTerminal();
    await this.terminal.recover();
  }

  close(): void {
    this.journal.store.close();
    rmSync(this.dir, { recursive: true });
  }

  /** Pays with the card held to the reader as soon as it is armed. */
  async paid(request: PaymentRequest = sale('M-1'), scheme: keyof typeof aids = 'visa'): Promise<PayAnswer> {
    const armed = this.trace.count('reader: armed') + 1;
    const answer = this.terminal.pay(request);
    await Promise.race([this.trace.seen('reader: armed', armed), answer]);
    if (this.trace.count('reader: armed') === armed) this.reader.present(scheme);
    const result = await answer;
    this.trace.push(`answer: ${result.kind}`);
    return result;
  }

  get hosts(): ReadonlyMap<AcquirerId, ScriptedHost> {
    return new Map([this.edc, this.cup].map((host) => [host.id, host]));
  }

  #openJournal(): StoreJournal {
    return new StoreJournal(path.join(this.dir, 'journal.db'), () => this.clock.now(), this.trace);
  }

  #newForwarder(): Forwarder {
    const { journal, hosts, clock } = this;
    return new Forwarder({
      journal,
      hosts,
      clock,
      onThrough: (what) => this.news.push(what),
      onFailure: (error) => this.failures.push(error),
    });
  }

  #newTerminal(): Terminal {
    const { journal, forwarder, hosts, reader, clock, receipts } = this;
    return new Terminal({
      journal,
      forwarder,
      hosts,
      profiles: [
        { id: acquirerId('EDC'), brands: ['VISA', 'MASTER', 'AMEX', 'JCB'] },
        { id: acquirerId('CUP'), brands: ['UNIONPAY', 'VISA'] },
      ],
      reader,
      ...(receipts ? { receipts } : {}),
      screen: {
        show: (view) => {
          this.views.push(view);
          this.trace.push(`screen: ${view.scene}`);
        },
      },
      clock,
      random: { bytes: (length) => this.#bytes(length) },
      rules,
      timeouts,
      onFailure: (error) => this.failures.push(error),
    });
  }

  /** Counts instead of chance: identifiers of a test run are the same every time, and in the order they were given. */
  #bytes(length: number): Uint8Array {
    const bytes = Buffer.alloc(length);
    bytes.writeUInt32BE((this.#identifiers += 1));
    return bytes;
  }
}

/** A SALE of 30.00 HKD. */
export function sale(messageId: string, fields: Partial<PaymentRequest> = {}): PaymentRequest {
  return {
    posId: 'POS-1',
    messageId,
    digest: `digest of ${messageId}`,
    type: 'SALE',
    amount: { minor: 3000n, currency: 'HKD' },
    shape: 'A',
    ...fields,
  };
}

/** A request about an earlier transaction, of its whole amount unless told otherwise. */
export function about(
  type: TransactionType,
  messageId: string,
  { id, amount }: TransactionRecord,
  fields: Partial<PaymentRequest> = {},
): PaymentRequest {
  return sale(messageId, { type, amount, originalId: id, ...fields });
}

export function ended(answer: PayAnswer): TransactionRecord {
  return answer.kind === 'ended' ? answer.record : assert.fail(answer.kind);
}
