import assert from 'node:assert/strict';
import { type Card, hasChip } from '../../../../hw-sim/card/card.ts';
import { type Chance, seeded } from '../../../../hw-sim/chance.ts';
import { issuerAuthenticationData, arqcVerifies } from '../../../../hw-sim/host/iso8583/issuer.ts';
import { type SpoiltLine, spoilt } from '../../../../hw-sim/line.ts';
import type {
  CardDecision,
  CollectOutcome,
  CollectRequest,
  RetryReason,
  PresentedCard,
} from '../../../../src/base/ports/card-reader.ts';
import { DeviceError } from '../../../../src/base/ports/device.ts';
import { card as cardNamed } from '../../../hw-sim/reader/stage.ts';
import { type Badness, badness } from './faults.ts';
import { Power } from './power.ts';
import type { Pair, ReaderKind } from './readers.ts';
import { assertGiven, assertSecondGenerateAc, assertPinGiven } from './truth.ts';
import { installed, VirtualClock } from './virtual-clock.ts';
import { Wire } from './wire.ts';
import { Witness } from './witness.ts';

const chips = ['visa', 'mastercard', 'amex', 'jcb', 'unionpay'];
const ways = ['tap', 'insert', 'insert', 'swipe', 'fallback', 'pin', 'pin', 'cancel'] as const;
type Way = (typeof ways)[number];

/** What becomes of a chip that waits. */
const endings = [
  'approved',
  'approved',
  'approved',
  'forged',
  'declined',
  'unreachable',
  'taken',
  'refuses',
  'nobody',
] as const;
type Ending = (typeof endings)[number];

const pins = ['enters', 'enters', 'cancels', 'walks away', 'is cancelled', 'is cancelled'] as const;

/** Longer than all deadlines of a driver one after the other. */
const patienceMs = 40_000;
const attemptsMax = 3;

/** One customer at a reader with a bad line, and the next one when it is good again. */
export class Payment {
  readonly trace: string[] = [];
  /** What collecting, completing and entering came to while the line was bad, and its faults. */
  readonly met: string[] = [];
  readonly bad: Badness;
  readonly #plan: Chance;
  readonly #clock = new VirtualClock();
  readonly #witness = new Witness();
  readonly #uninstall = installed(this.#clock);
  readonly #line: SpoiltLine;
  readonly #power: Power;
  readonly #pair: Pair;
  readonly #way: Way;
  readonly #beginsBad: boolean;
  #restarted = false;
  #chipFailed = false;
  #unpluggedAt: number | undefined;

  constructor(kind: ReaderKind, seed: number) {
    const plan = seeded(seed ^ 0x5bd1e995);
    this.#plan = plan;
    this.bad = badness(plan, kind.unit);
    this.#way = this.#pick(ways);
    this.#beginsBad = plan.next() < 0.3;
    const wire = new Wire(this.#clock);
    const { turnMs } = this.bad;
    this.#line = spoilt(wire, seeded(seed), this.#beginsBad ? this.bad.faults : {}, (then) => {
      this.#clock.setTimeout(then, turnMs);
    });
    this.#power = new Power(this.#line);
    const random = (bytes: number) => Buffer.from(Array.from({ length: bytes }, () => plan.next() * 256));
    this.#pair = kind.open(this.#power, wire.host, this.#clock, random);
    this.#line.onUnplugged(() => this.#comesBack());
    this.#pair.driver.onState((state) => this.trace.push(`driver ${state}`));
  }

  async play(): Promise<void> {
    try {
      this.trace.push(`${this.bad.name} ${JSON.stringify(this.bad.faults)}, ${this.#way}`);
      if (!this.#beginsBad || this.bad.lossless) await this.#ready();
      this.#line.spoil(this.bad.faults);
      const restart = this.bad.restarts && this.#clock.setTimeout(() => this.#restart(), this.#plan.next() * 10_000);
      await this.#customer();
      this.#clock.clearTimeout(restart);
      await this.#mended();
      await this.#closed();
    } finally {
      this.#uninstall();
      this.#witness.close();
    }
  }

  async #customer(): Promise<void> {
    const { driver } = this.#pair;
    let outcome: CollectOutcome | undefined;
    for (let attempt = 0; attempt < attemptsMax && outcome?.kind !== 'card'; attempt++) {
      if (!(await this.#clock.becomes(() => driver.state === 'ready', patienceMs))) return;
      outcome = await this.#collect(this.#way, this.#pick([5_000, 60_000]));
    }
    if (this.bad.lossless && this.#way !== 'cancel') assert.equal(outcome?.kind, 'card', 'nothing was lost');
    await this.#follow(outcome);
  }

  /** The line is good again: whatever has happened before, the next customer can pay. */
  async #mended(): Promise<void> {
    const { device, driver } = this.#pair;
    this.met.push(...this.trace.filter((line) => /^(?:collect|complete|enterPin):/.test(line)));
    this.met.push(...this.#line.record.map(({ fault }) => fault));
    this.trace.push('mended');
    this.#line.spoil({});
    device.remove();
    await device.fault({ chipFails: false, cardRefuses: false });
    assert.ok(await this.#clock.becomes(() => this.#line.plugged && this.#power.on, patienceMs), 'the cable is back');
    // Longer than either side waits for the rest of what was torn.
    await this.#clock.advance(2_000);
    await this.#ready();
    const way = this.#pick(['tap', 'insert', 'swipe', 'pin'] as const);
    let outcome = await this.#collect(way, 60_000);
    // A reader that has lost its power unnoticed says so when it is to be armed: that one attempt is lost.
    if (this.#restarted && outcome?.kind !== 'card') {
      await this.#ready();
      outcome = await this.#collect(way, 60_000);
    }
    assert.equal(outcome?.kind, 'card', 'the next payment on a good line');
    if (outcome?.kind === 'card' && outcome.card.awaitsDecision) {
      const completion = await this.#complete(outcome.card, 'approved');
      assert.equal(completion, 'agreed', 'the next chip on a good line');
    }
    if (way === 'pin') assert.equal(await this.#enterPin('enters'), 'pin', 'the next PIN on a good line');
    assert.equal(driver.state, 'ready');
  }

  async #closed(): Promise<void> {
    const { device, driver } = this.#pair;
    device.remove();
    await this.#clock.settles(driver.close(), patienceMs, 'close');
    await device.close();
    await this.#clock.advance(20_000);
    assert.equal(this.#clock.pending, 0, 'timers that nobody waits for any more');
  }

  async #ready(): Promise<void> {
    const { driver } = this.#pair;
    assert.ok(await this.#clock.becomes(() => driver.state === 'ready', patienceMs), `the driver is ${driver.state}`);
  }

  async #collect(way: Way, timeoutMs: number): Promise<CollectOutcome | undefined> {
    const { device, driver } = this.#pair;
    const request: CollectRequest = {
      amount: { minor: BigInt(1 + Math.floor(this.#plan.next() * 1e8)), currency: 'HKD' },
      type: this.#plan.next() < 0.8 ? 'purchase' : 'refund',
      timeoutMs,
      interfaces: ['contactless', 'chip', 'magstripe'],
    };
    const abort = new AbortController();
    const before = this.#witness.cards.length;
    const card = cardNamed(this.#pick(chips));
    const afterMs = this.#plan.next() * 3_000;
    let customer: unknown;
    const leave = device.onArmed(() => {
      customer = this.#clock.setTimeout(() => void this.#present(way, card), afterMs);
    });
    if (way === 'cancel') this.#clock.setTimeout(() => abort.abort(), this.#plan.next() * 4_000);
    const retried = (reason: RetryReason) => this.trace.push(`collect: ${reason}`);
    // Whoever lets the reader arm itself again ends that itself, as the terminal does; there is time for two tries.
    const onRetry = timeoutMs >= 60_000 && this.#plan.next() < 0.7 ? retried : undefined;
    const ending = onRetry && this.#clock.setTimeout(() => abort.abort(), timeoutMs);
    try {
      const outcome = await this.#ends(driver.collect(request, abort.signal, onRetry), timeoutMs, 'collect');
      if (outcome?.kind === 'tryAgain') retried(outcome.reason);
      else if (outcome) this.trace.push(`collect: ${'reason' in outcome ? outcome.reason : outcome.kind}`);
      if (outcome?.kind === 'card') {
        assert.ok(!abort.signal.aborted, 'a card after it was cancelled');
        const read = this.#witness.cards.slice(before).at(-1);
        assertGiven(outcome.card, request, read);
      }
      this.#assertQuiet(
        outcome?.kind === 'card' && (outcome.card.awaitsDecision ?? outcome.card.awaitsOutcome) === true,
      );
      return outcome;
    } finally {
      this.#clock.clearTimeout(customer);
      this.#clock.clearTimeout(ending);
      leave();
    }
  }

  async #present(way: Way, card: Card): Promise<void> {
    const { device } = this.#pair;
    this.trace.push(`customer: ${way}`);
    switch (way) {
      case 'tap':
      case 'pin':
      case 'cancel':
        void device.tap(card);
        return;
      case 'insert':
        void device.insert(card);
        return;
      case 'swipe':
        void device.swipe(cardNamed('eps'));
        return;
      case 'fallback':
        if (this.#chipFailed) {
          void device.swipe(card);
          return;
        }
        this.#chipFailed = true;
        await device.fault({ chipFails: true });
        void device.insert(card);
        return;
      default:
        way satisfies never;
    }
  }

  async #follow(outcome: CollectOutcome | undefined): Promise<void> {
    if (outcome?.kind !== 'card') return;
    if (outcome.card.awaitsDecision) {
      const ending = this.#pick(endings);
      const completion = await this.#complete(outcome.card, ending);
      if (this.bad.lossless && ending === 'approved') assert.equal(completion, 'agreed', 'nothing was lost');
      return;
    }
    if (this.#way === 'pin' && this.#pair.driver.state === 'ready') {
      const said = this.#pick(pins);
      const reported = await this.#enterPin(said);
      if (this.bad.lossless && said === 'enters') assert.equal(reported, 'pin', 'nothing was lost');
    }
    if (outcome.card.awaitsOutcome) await this.#show();
  }

  /** What came of a card that is gone, for the reader's display: then nothing waits there any more. */
  async #show(): Promise<void> {
    const { driver } = this.#pair;
    const none = new Map<string, Uint8Array>();
    const decision = this.#pick([
      { kind: 'approved', responseCode: '00', issuerData: none },
      { kind: 'declined', responseCode: '05', issuerData: none },
      { kind: 'unreachable' },
    ] as const);
    this.trace.push(`outcome: ${decision.kind}`);
    await this.#clock.advance(this.#plan.next() * 2_000);
    assert.ok(driver.show, 'whoever awaits an outcome can be told');
    await this.#ends(driver.show(decision), 0, 'show');
    this.#assertQuiet(false);
  }

  async #complete(card: PresentedCard, ending: Ending): Promise<string> {
    const { device, driver } = this.#pair;
    this.trace.push(`decision: ${ending}`);
    await this.#clock.advance(this.#plan.next() * 2_000);
    if (ending === 'nobody') {
      await this.#clock.advance(400_000);
      this.#assertQuiet(false);
      return ending;
    }
    if (ending === 'taken') device.remove();
    if (ending === 'refuses') await device.fault({ cardRefuses: true });
    const decision = this.#decision(card, ending);
    const before = this.#witness.secondGenerateAcs.length;
    const completion = await this.#ends(driver.complete(decision), 0, 'complete');
    if (completion) this.trace.push(`complete: ${completion.kind}`);
    if (completion) assertSecondGenerateAc(completion, decision, this.#witness, before);
    if (ending === 'forged' || ending === 'refuses' || ending === 'taken') assert.notEqual(completion?.kind, 'agreed');
    this.#assertQuiet(false);
    return completion?.kind ?? 'error';
  }

  #decision(card: PresentedCard, ending: Ending): CardDecision {
    if (ending === 'unreachable') return { kind: 'unreachable' };
    const [kind, responseCode] = ending === 'declined' ? (['declined', '05'] as const) : (['approved', '00'] as const);
    const given = this.#witness.cards.at(-1)?.card;
    assert.ok(given && hasChip(given));
    const emv = new Map(
      Array.from(card.emv, ([tag, value]) => [tag, Buffer.from(value).toString('hex').toUpperCase()]),
    );
    const check = { card: given, panSequenceNumber: given.panSequenceNumber, emv };
    assert.ok(arqcVerifies(check), 'the issuer can verify what the driver hands on');
    const proof = Buffer.from(issuerAuthenticationData(check, responseCode), 'hex');
    if (ending === 'forged') proof[0] = (proof[0] ?? 0) ^ 0x01;
    return { kind, responseCode, issuerData: new Map([['91', Uint8Array.from(proof)]]) };
  }

  async #enterPin(customer: (typeof pins)[number]): Promise<string> {
    const { device, driver } = this.#pair;
    this.trace.push(`PIN: ${customer}`);
    const abort = new AbortController();
    const pin = '92837465'.slice(0, 4 + Math.floor(this.#plan.next() * 5));
    const afterMs = this.#plan.next() * 3_000;
    let asked = false;
    const leave = device.onChange(() => {
      if (asked || !device.state().pinPad.asking) return;
      asked = true;
      this.#clock.setTimeout(() => {
        if (customer === 'enters') device.enterPin(pin);
        if (customer === 'cancels') device.pressKey('CANCEL');
      }, afterMs);
    });
    if (customer === 'is cancelled') this.#clock.setTimeout(() => abort.abort(), afterMs);
    const request = {
      amount: { minor: 3000n, currency: 'HKD' },
      timeoutMs: 20_000,
      again: this.#plan.next() < 0.3,
    } as const;
    try {
      const outcome = await this.#ends(driver.pinPad.enterPin(request, abort.signal), 20_000, 'enterPin');
      if (outcome) this.trace.push(`enterPin: ${outcome.kind}`);
      if (outcome?.kind === 'pin') {
        assert.equal(customer, 'enters', 'a PIN that nobody has entered');
        assertPinGiven(outcome.pin, pin, this.#witness.cards.at(-1)?.card.pan ?? '', device.state().pinKsn);
      }
      this.#assertQuiet(false);
      return outcome?.kind ?? 'error';
    } finally {
      leave();
    }
  }

  /** What it comes to; nothing where the driver says that the device has failed. */
  async #ends<Outcome>(work: Promise<Outcome>, customerMs: number, what: string): Promise<Outcome | undefined> {
    this.#unpluggedAt = undefined;
    try {
      const outcome = await this.#clock.settles(work, customerMs + patienceMs, what);
      assert.ok(this.#goneMs() <= 1, `${what} went on for ${this.#goneMs()} ms without a cable`);
      return outcome;
    } catch (error) {
      if (!(error instanceof DeviceError)) throw error;
      assert.ok(this.#goneMs() <= 1, `${what} failed ${this.#goneMs()} ms after its cable had gone`);
      this.trace.push(`${what}: ${error.code}`, error.message);
      return undefined;
    }
  }

  /** How long ago the cable was pulled, in what was at work then. */
  #goneMs(): number {
    return this.#unpluggedAt === undefined ? 0 : this.#clock.now().getTime() - this.#unpluggedAt;
  }

  /** A driver that has ended its work, and believes in its reader, has left nothing there that waits for somebody. */
  #assertQuiet(chipWaits: boolean): void {
    const { device, driver } = this.#pair;
    if (driver.state !== 'ready') return;
    const state = device.state();
    assert.equal(state.armed, false, 'the reader still waits for a card');
    assert.equal(state.pinPad.asking, false, 'the PIN pad still takes digits');
    if (!chipWaits) assert.equal(state.chipWaits, false, 'a chip still waits for its issuer');
  }

  #comesBack(): void {
    this.trace.push('unplugged');
    this.#unpluggedAt = this.#clock.now().getTime();
    const { device } = this.#pair;
    void device.fault({ unplug: true });
    this.#clock.setTimeout(() => void device.fault({ unplug: false }), this.#plan.next() * 10_000);
  }

  #restart(): void {
    this.trace.push('without power');
    this.#restarted = true;
    const { device } = this.#pair;
    this.#power.on = false;
    void device.fault({ unplug: true });
    this.#clock.setTimeout(() => {
      void device.fault({ unplug: false });
      this.#power.on = true;
    }, this.#plan.next() * 5_000);
  }

  #pick<Choice>(choices: readonly Choice[]): Choice {
    const choice = choices[Math.floor(this.#plan.next() * choices.length)];
    assert.ok(choice !== undefined);
    return choice;
  }
}
