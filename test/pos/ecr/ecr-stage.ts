import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { systemRandom } from '../../../src/base/ports/clock.ts';
import type { EcrTill } from '../../../src/pos/ecr/calling.ts';
import { type Answered, EcrCalls } from '../../../src/pos/ecr/ecr-calls.ts';
import { EcrLedger } from '../../../src/pos/ecr/ledger.ts';
import type { EcrAnswer } from '../../../src/pos/ecr/wire/answer.ts';
import { contentOf } from '../../../src/pos/ecr/wire/content.ts';
import { type EcrCall, ecrCalls } from '../../../src/pos/ecr/wire/request.ts';
import { parseJson } from '../../../src/pos/api/input.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import type { Content } from './ecr-client.ts';
import { ScriptedCalls } from './scripted-calls.ts';

export const tills: readonly EcrTill[] = [
  {
    posId: 'POS-1',
    key: 'poid-test-key-16',
    notify: { url: 'http://127.0.0.1:1/', key: 'notify-test-key', refundTypes: ['cancel', 'refund'] },
  },
  { posId: 'POS-2', key: 'poid-test-key-22' },
];

export interface Asking {
  readonly till?: number;
  /** The answer reaches its caller; true by default. */
  readonly isWritten?: boolean;
}

/** The six calls over a scripted terminal, with a ledger on a disk. `restart` begins anew with what is there. */
export class EcrStage {
  readonly calls = new ScriptedCalls();
  readonly clock = new ManualClock();
  readonly failures: Error[] = [];
  readonly dir: string;
  ledger: EcrLedger;
  ecr: EcrCalls;
  woken = 0;

  private constructor(dir: string) {
    this.dir = dir;
    this.ledger = new EcrLedger(dir, (error) => this.failures.push(error));
    this.ecr = this.#made();
  }

  static async open(t: TestContext): Promise<EcrStage> {
    const dir = mkdtempSync(path.join(tmpdir(), 'poid-ecr-'));
    const stage = new EcrStage(dir);
    t.after(async () => {
      await stage.ecr.payments.close();
      rmSync(dir, { recursive: true });
    });
    await stage.ledger.load();
    return stage;
  }

  /** As after a power cut: what is in memory is lost, and what runs is never heard of again. */
  async restart(): Promise<void> {
    this.ledger = new EcrLedger(this.dir, (error) => this.failures.push(error));
    await this.ledger.load();
    this.ecr = this.#made();
    this.ecr.payments.start();
  }

  async ask(call: EcrCall, content: Content, { till = 0, isWritten = true }: Asking = {}): Promise<EcrAnswer> {
    const { answer, noteDelivery } = await this.answered(call, content, till);
    if (isWritten) noteDelivery();
    await this.ledger.flush();
    return answer;
  }

  answered(call: EcrCall, content: Content, till = 0): Promise<Answered> {
    const fields = contentOf(parseJson(JSON.stringify({ func_type: Number(ecrCalls[call]), ...content })));
    const caller = tills[till];
    if (!fields || !caller) throw new Error('no such content');
    return this.ecr.answer(caller, call, fields);
  }

  trade(outTradeNo: string | undefined, more: Content = {}, how: Asking = {}): Promise<EcrAnswer> {
    const number = outTradeNo === undefined ? {} : { out_trade_no: outTradeNo };
    return this.ask('trade', { amt: 30, channel: 'card_payment', ...number, ...more }, how);
  }

  refund(orderId: string, amount?: string, how: Asking = {}): Promise<EcrAnswer> {
    const part = amount === undefined ? {} : { refund_amount: amount };
    return this.ask('cancel', { orderId, ...part }, how);
  }

  /** notify_type of what is queued. */
  get queued(): readonly string[] {
    return this.ledger.notices.map(({ body }) => (JSON.parse(body) as { notify_type: string }).notify_type);
  }

  #made(): EcrCalls {
    return new EcrCalls({
      calls: this.calls.calls,
      ledger: this.ledger,
      tills,
      channels: {},
      currency: 'HKD',
      shopName: 'Harbour Tea House',
      clock: this.clock,
      random: systemRandom,
      wakeNotifier: () => (this.woken += 1),
      onFailure: (error) => this.failures.push(error),
    });
  }
}
