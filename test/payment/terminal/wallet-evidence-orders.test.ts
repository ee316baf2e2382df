import assert from 'node:assert/strict';
import { test } from 'node:test';
import { array, assert as check, asyncProperty, constantFrom } from 'fast-check';
import { posResponse } from '../../../src/pos/api/pos-response.ts';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import { openMatters } from '../../../src/operator/customer-matters.ts';
import { setAside, waitingOnes } from '../../../src/operator/waiting.ts';
import { readableRecord } from '../../../src/payment/records/record.ts';
import { stands } from '../../../src/payment/records/transaction-status.ts';
import { printParts } from '../../pos/api/served.ts';
import { decidesAtOnce } from '../../support/decides-at-once.ts';
import { settled } from '../../support/manual-clock.ts';
import { lagMs, lookingAt } from './looking.ts';
import { begun, durable } from './method-stage.ts';
import { everything, Stage } from './stage.ts';

/**
 * A shown code, followed by random sequences of actions of customer, POS, host, bank and terminal. At the end, the
 * terminal reports what the host's books have, and counts it once.
 */

const QR = acquirerId('QR');

const steps = [
  'the host is silent',
  'the host answers',
  'the host does not close',
  'the customer pays',
  'a payment is posted late',
  'the POS cancels',
  'the operator asks the bank',
  'a lag passes',
  'ten minutes pass',
  'the wallet is settled',
  'the terminal restarts',
] as const;
type Step = (typeof steps)[number];

class World {
  readonly stage = new Stage(undefined, everything);
  readonly failures: unknown[] = [];
  /** The first result that the POS received; undefined if the terminal was restarted meanwhile. */
  reported: string | undefined;
  bankSaid: 'POSTED' | 'NOT_POSTED' | undefined;
  #look = lookingAt(this.stage, this.failures);
  #settlements = 0;

  async begin(wallet: 'ALIPAY' | 'FPS'): Promise<void> {
    const { answer } = await begun(this.stage, 'QR_PRESENT', 'M-1', { preferredInstrument: wallet });
    answer.then(
      (one) => (this.reported = one.kind === 'ended' ? one.record.conclusion?.result : undefined),
      () => undefined,
    );
  }

  async take(step: Step): Promise<void> {
    const { stage } = this;
    const { wallet, clock } = stage;
    switch (step) {
      case 'the host is silent':
        wallet.onEnquire = () => ({ kind: 'unknown' });
        wallet.onClose = () => ({ closes: false, outcome: { kind: 'unanswered' } });
        wallet.onRefund = () => ({ outcome: { kind: 'unknown', reason: 'no-answer' } });
        break;
      case 'the host answers':
        this.#answers();
        break;
      case 'the host does not close':
        wallet.onClose = () => ({ closes: false, outcome: { kind: 'refused', responseCode: '1260' } });
        break;
      case 'the customer pays':
        wallet.paid();
        break;
      case 'a payment is posted late':
        this.#postLate();
        break;
      case 'the POS cancels':
        void stage.terminal.cancel('POS-1', 'M-1').catch(() => undefined);
        break;
      case 'the operator asks the bank':
        await this.#askBank();
        break;
      case 'a lag passes':
        await clock.advance(lagMs);
        break;
      case 'ten minutes pass':
        await clock.advance(600_000);
        break;
      case 'the wallet is settled':
        void this.#settle();
        await clock.advance(20_000);
        break;
      default:
        await this.#restart();
    }
    await settled();
  }

  /** The host answers, and the terminal enquires for the last time. */
  async end(): Promise<void> {
    this.#answers();
    await this.stage.clock.advance(600_000);
    for (let round = 0; round < 3; round++) {
      await this.stage.clock.advance(10 * lagMs);
      void this.#settle();
      await this.stage.clock.advance(lagMs);
      await settled();
    }
    await this.#look.close();
  }

  #answers(): void {
    const { wallet } = this.stage;
    wallet.onEnquire = () => undefined;
    wallet.onClose = () => ({ closes: true });
    wallet.onRefund = ({ tradeNo }) => ({ state: 'paid', outcome: wallet.approvalOf(tradeNo) });
  }

  /**
   * The host posts a payment after it has closed the order. If it posted later than the terminal's last enquiry, nobody
   * could see it.
   */
  #postLate(): void {
    const { store } = this.stage.journal;
    const isAwaited = store.closedOrders().length > 0 || store.pending().length > 0;
    const [kept] = this.stage.wallet.books.values();
    if (isAwaited && kept?.state === 'closed') kept.state = 'paid';
  }

  async #settle(): Promise<unknown> {
    const messageId = `S-${(this.#settlements += 1)}`;
    const request = { posId: 'POS-1', messageId, digest: messageId, acquirerId: QR };
    return this.stage.terminal.settle(request).catch(() => undefined);
  }

  async #askBank(): Promise<void> {
    const { journal, terminal } = this.stage;
    const parts = {
      journal,
      acquirers: ['QR'],
      isUnsendable: () => true,
      takesBatch: terminal.room.takesBatch,
      decide: decidesAtOnce,
    };
    for (const { id } of await waitingOnes(parts)) {
      const said = this.isPaid ? 'POSTED' : 'NOT_POSTED';
      if (!('refused' in (await setAside(id, said, parts)))) this.bankSaid = said;
    }
  }

  async #restart(): Promise<void> {
    await Promise.all([this.#look.close(), this.stage.forwarder.close()]);
    await this.stage.restart();
    this.#look = lookingAt(this.stage, this.failures);
  }

  /** The customer has paid, and was not refunded. */
  get isPaid(): boolean {
    const [kept] = this.stage.wallet.books.values();
    return kept?.state === 'paid';
  }
}

async function judge({ stage, isPaid, reported, bankSaid }: World): Promise<void> {
  const answer = await stage.terminal.enquire('POS-1', 'M-1');
  if (answer.kind !== 'ended') return assert.fail(answer.kind);
  const body = posResponse(answer.record, printParts, answer);
  const { responseResult: result, financialImpact: impact } = body;
  const text = `${String(result)} ${String(impact)}: ${String(body['message'])}`;
  const { id } = durable(stage);
  const own = readableRecord(id, stage.journal.store.read(id));
  const unmatched = stage.journal.store.later(id).map((each) => readableRecord(each.id, each.events));
  const effective = [own, ...unmatched].filter((record) => record && stands(record)).length;
  assert.equal(effective, isPaid ? 1 : 0, text);
  if (isPaid) assert.ok(result === 'SUCCESS' || impact === 'UNKNOWN', text);
  else assert.ok(result !== 'SUCCESS' && (impact === 'NONE' || impact === 'REVERSED'), text);
  if (!isPaid) assert.doesNotMatch(text, /not reversed|being reversed|asked once more/);
  assert.deepEqual(stage.journal.store.pending(), []);
  // A success that the POS did not receive at first, or that the bank had denied, is listed; an extra payment is in the
  // other part of the list.
  const listed = (await openMatters({ journal: stage.journal })).map(({ matter }) => matter);
  const isLate = result === 'SUCCESS' && reported !== undefined && reported !== 'SUCCESS';
  if (reported === undefined && bankSaid === undefined) return;
  assert.deepEqual(listed.includes('countedLate'), isLate || (result === 'SUCCESS' && bankSaid === 'NOT_POSTED'), text);
}

for (const wallet of ['ALIPAY', 'FPS'] as const) {
  test(`at the end of a payment by a shown code, the host's books are reported and counted: ${wallet}`, async () => {
    await check(
      asyncProperty(array(constantFrom(...steps), { maxLength: 12 }), async (taken) => {
        const world = new World();
        try {
          await world.begin(wallet);
          for (const step of taken) await world.take(step);
          await world.end();
          await judge(world);
        } finally {
          await world.stage.forwarder.close();
          world.stage.close();
        }
      }),
      { numRuns: 150 },
    );
  });
}
