import { setImmediate } from 'node:timers/promises';
import type { Account } from '../../../src/base/domain/account.ts';
import type { CollectMode } from '../../../src/base/domain/payment-scheme.ts';
import type { OnlineOrder } from '../../../src/payment/contracts/acquirer-host.ts';
import type { CardCompletion, CollectOutcome, PresentedCard } from '../../../src/base/ports/card-reader.ts';
import { DeviceError } from '../../../src/base/ports/device.ts';
import type { OctopusFinding } from '../../../src/base/ports/octopus-reader.ts';
import type { WalletFinding } from '../../../src/payment/contracts/wallet-host.ts';
import { settled } from '../../support/manual-clock.ts';
import { MethodRules } from './method-rules.ts';
import {
  acknowledges,
  approves,
  declines,
  type HostScript,
  isDown,
  isSilent,
  postsAndIsSilent,
} from './scripted-host.ts';
import {
  deducts,
  deductsAndGoesAway,
  type DeductionScript,
  goesAway,
  octopusCard,
  staysIncomplete,
} from './scripted-octopus.ts';
import { card } from './scripted-reader.ts';
import { codes } from './scripted-scanner.ts';
import * as walletScripts from './scripted-wallet.ts';
import type { Stage } from './stage.ts';

type Action = () => unknown;
type Weighted<Each> = readonly (readonly [weight: number, each: Each])[];

const modes = ['CARD', 'QR_SCAN', 'QR_PRESENT', 'OCTOPUS', 'EPS', 'CASH'] as const satisfies readonly CollectMode[];
const wallets = ['ALIPAY', 'WECHAT', 'FPS'] as const;
const accounts = ['SAVINGS', 'CURRENT'] as const satisfies readonly Account[];
const passing: Weighted<number> = [
  [6, 300],
  [6, 2_000],
  [2, 10_000],
  [1, 60_000],
  [1, 125_000],
];
const gone = new DeviceError('vanished', 'it was pulled out');

/** Random actions of merchant, customer, devices, hosts and time during one payment. */
export class MethodWalk {
  readonly rules: MethodRules;
  readonly #stage: Stage;
  readonly #chance: (limit: number) => number;
  readonly #held: (() => void)[] = [];
  #holds = true;
  #passing = false;
  /** A method that is chosen more often, so that a payment ends sometimes. */
  #favourite: CollectMode = 'CARD';
  #items = 0;
  #messageId = '';
  /** Pending cancels of the POS. */
  readonly cancels: Promise<unknown>[] = [];
  /** Where the trace of this payment begins. */
  from = 0;
  /** Buffers of track and PIN that the terminal received. */
  readonly #secrets: Uint8Array[] = [];

  constructor(stage: Stage, chance: (limit: number) => number) {
    this.#stage = stage;
    this.#chance = chance;
    this.rules = new MethodRules(stage);
  }

  /** Called before each payment. Earlier ones are over, and all queues are empty. */
  begins(messageId: string): void {
    this.#messageId = messageId;
    this.from = this.#stage.trace.events.length;
    this.#holds = true;
    this.#favourite = this.#of(modes);
    this.rules.begins();
    this.#script();
    const { journal } = this.#stage;
    const fails = this.#odds(30);
    journal.fault = (_, operation) => fails && (operation === 'append' || operation === 'intend') && this.#odds(20);
    journal.misreport = (_, operation) => fails && operation === 'append' && this.#odds(5);
  }

  /** Whether all buffers of customer data are overwritten. */
  get isForgotten(): boolean {
    return this.#secrets.every((secret) => secret.every((byte) => byte === 0));
  }

  /** The POS starts the payment. */
  cancel(): void {
    this.cancels.push(this.#stage.terminal.cancel('POS-1', this.#messageId));
  }

  /** Some actions in one turn of the event loop, then some turns. */
  async step(): Promise<void> {
    const together = this.#one([[6, 1] as const, [3, 2] as const, [1, 3] as const]);
    const waits: unknown[] = [];
    for (let each = 0; each < together; each++) waits.push(this.#action(together === 1)());
    await Promise.all(waits);
    await this.#turns();
  }

  /** From here on everything works: no delays, every request is answered. */
  async hurry(): Promise<void> {
    this.#holds = false;
    const { reader, scanner, octopus, pinPad } = this.#stage;
    for (const device of [reader, scanner.wait, octopus.wait, pinPad.wait]) device.holdsDisarm = false;
    if (this.rules.cancelling) this.#confirmed();
    for (const release of this.#held.splice(0)) release();
    await settled();
  }

  /** Lets every host and reader answer by its books. */
  honest(): void {
    const { edc, cup, eps, wallet, octopus, journal } = this.#stage;
    journal.fault = journal.misreport = () => false;
    for (const host of [edc, cup, eps]) {
      host.onRequest = () => approves;
      host.onReversal = () => acknowledges;
    }
    wallet.onEnquire = () => undefined;
    wallet.onClose = () => ({ closes: true });
    wallet.onRefund = ({ tradeNo }) => ({ state: 'paid', outcome: walletScripts.approvedOrder(tradeNo) });
    octopus.onFind = () => undefined;
    octopus.onDeduct = () => deducts;
    // The same card comes back, or the outcome stays open for ever.
    for (const [reference, state] of octopus.books) {
      if (state === 'incomplete') octopus.books.set(reference, this.#odds(50) ? 'deducted' : 'none');
    }
  }

  #action(alone: boolean): Action {
    const { armed, cancelling, view } = this.rules;
    const pays = this.#stage.wallet.waiting.length > 0;
    return this.#one<Action>([
      [armed && !cancelling ? 10 : 0, () => this.#customer(alone)],
      [cancelling ? 8 : 0, () => (this.#odds(30) ? this.#customer(false) : this.#confirmed())],
      [6, () => this.#choose()],
      [2, () => this.#stage.act({ kind: 'wallet', scheme: this.#of(wallets) })],
      [view?.scene === 'chooseAccount' ? 12 : 1, () => this.#account()],
      [view?.scene === 'tenderCash' ? 6 : 1, () => this.#tender()],
      [pays ? 4 : 0, () => this.#stage.wallet.paid()],
      [pays ? 1 : 0, () => this.#stage.wallet.expired()],
      [this.#held.length > 0 ? 12 : 0, () => this.#release()],
      [4, () => this.#timePasses()],
      [1, () => this.#stage.act({ kind: 'cancel', ...(this.#odds(50) ? { transaction: 'another' } : {}) })],
      [this.#odds(50) ? 1 : 0, () => this.cancel()],
    ]);
  }

  /** At most once in a step: one advance of the clock must finish before the next. */
  async #timePasses(): Promise<void> {
    if (this.#passing) return;
    this.#passing = true;
    await setImmediate();
    await this.#stage.clock.advance(this.#one(passing));
    this.#passing = false;
  }

  #choose(): void {
    this.#stage.act({ kind: 'choose', mode: this.#odds(50) ? this.#favourite : this.#of(modes) });
  }

  #account(): void {
    const account = this.#of(accounts);
    this.rules.chosen(account);
    this.#stage.act({ kind: 'account', account });
  }

  #tender(): void {
    const amount = this.#of(['30', '50.00', '29.99', 'x']);
    this.rules.tendered(amount === '30' || amount === '50.00', () => this.#stage.act({ kind: 'tender', amount }));
  }

  /** The customer presents something to an armed device. Without interference the outcome is checked. */
  #customer(alone: boolean): unknown {
    const { armed } = this.rules;
    if (!armed) return undefined;
    const before = this.#stage.trace.events.length;
    this.#gives(armed);
    if (!alone || this.#odds(50)) return undefined;
    return settled().then(() => this.#heeded(armed, before));
  }

  #gives(armed: NonNullable<MethodRules['armed']>): void {
    const { reader, equipped, scanner, octopus, pinPad } = this.#stage;
    switch (armed) {
      case 'reader':
        if (this.#odds(3)) return equipped.fail(gone);
        return reader.answer(this.#collected());
      case 'scanner':
        if (this.#odds(3)) return scanner.wait.fail(gone);
        return this.#odds(10) ? scanner.wait.answer({ kind: 'tryAgain' }) : scanner.read(this.#code());
      case 'octopus':
        if (this.#odds(3)) return octopus.wait.fail(gone);
        if (this.#odds(10)) return octopus.wait.answer({ kind: 'tryAgain', code: 100_016 });
        if (this.#odds(5)) return octopus.wait.answer({ kind: 'refused', reason: 'cardUnusable', code: 100_019 });
        return octopus.tap({ ...octopusCard, cardId: this.#offered(String(10_000_000 + this.#next())) });
      case 'pin pad':
        if (this.#odds(3)) return pinPad.wait.fail(gone);
        if (this.#odds(10)) return pinPad.wait.answer({ kind: this.#of(['cancelled', 'timeout'] as const) });
        return this.#pin();
      default:
        return armed satisfies never;
    }
  }

  #heeded(armed: string, before: number): void {
    const { events } = this.#stage.trace;
    const given = events.slice(before).find((event) => /: (card|code|pin)$/.test(event));
    // A code that was shown before is enquired again before anything else is charged.
    const came = /: (sale|pay|deduct|enquire)$|: armed$|chooseAccount|ended$|^journal failed/;
    if (given && !events.slice(before).some((event) => came.test(event))) {
      this.rules.faults.push(`${armed}: what was given (${given}) came to nothing`);
    }
  }

  #collected(): CollectOutcome {
    const takesChip = this.#stage.reader.requests.at(-1)?.interfaces?.includes('chip');
    return this.#one<() => CollectOutcome>([
      [6, () => ({ kind: 'card', card: this.#card({}) })],
      [3, () => ({ kind: 'card', card: this.#card({ ...card('unionpay') }) })],
      [3, () => ({ kind: 'card', card: this.#card({ emv: new Map([['DF52', Uint8Array.of(2)]]) }) })],
      [takesChip ? 3 : 0, () => ({ kind: 'card', card: this.#card({ entryMode: 'CHIP', awaitsDecision: true }) })],
      [1, () => ({ kind: 'card', card: this.#card({ ...card('unknown') }) })],
      [2, () => ({ kind: 'tryAgain', reason: 'collision' })],
      [1, () => ({ kind: 'refused', reason: 'expired' })],
      [1, () => ({ kind: 'timeout' })],
    ])();
  }

  #card(fields: Partial<PresentedCard>): PresentedCard {
    const presented = { ...card(), ...fields };
    const pan = Buffer.alloc(16, this.#next());
    this.#offered(pan.toString('hex'), presented.awaitsDecision === true);
    const { encrypted } = card();
    this.#secrets.push(encrypted.track2);
    return { ...presented, encrypted: { ...encrypted, pan } };
  }

  #code(): string {
    const { ALIPAY, WECHAT, UPI_QR, none } = codes;
    if (this.#odds(15)) return none;
    const code = this.#of([ALIPAY, WECHAT, UPI_QR]);
    return this.#offered(code.slice(0, -4) + String(1000 + this.#next()));
  }

  #pin(): void {
    const block = Buffer.alloc(8, this.#next());
    this.#offered(block.toString('hex'));
    this.#secrets.push(block);
    const ksn = Buffer.from('FFFF9876543210E00002', 'hex');
    this.#stage.pinPad.wait.answer({ kind: 'pin', pin: { format: 'ISO-0', ksn, block } });
  }

  #confirmed(): void {
    const { reader, equipped, scanner, octopus, pinPad } = this.#stage;
    switch (this.rules.armed) {
      case 'reader':
        return this.#odds(5) ? equipped.fail(gone) : reader.confirmDisarm();
      case 'scanner':
        return scanner.wait.confirmDisarm();
      case 'octopus':
        return octopus.wait.confirmDisarm();
      case 'pin pad':
        return pinPad.wait.confirmDisarm();
      case undefined:
        return;
      default:
        return this.rules.armed satisfies never;
    }
  }

  #script(): void {
    const { edc, cup, eps, wallet, octopus, equipped, reader, scanner, pinPad } = this.#stage;
    for (const host of [edc, cup, eps]) {
      host.onRequest = (order) => this.#request(order);
      host.onReversal = async () => (await this.#hold(), this.#odds(60) ? acknowledges : { kind: 'unanswered' });
    }
    wallet.onPay = async ({ authCode }) => {
      this.rules.charged({ item: authCode });
      await this.#hold();
      return this.#one<walletScripts.PayScript>([
        [4, { state: 'paid', outcome: walletScripts.approvedOrder('1') }],
        [4, walletScripts.asksCustomer],
        [2, walletScripts.paysAndIsSilent],
        [2, walletScripts.waitsAndIsSilent],
        [1, walletScripts.isSilent],
        [1, walletScripts.isDown],
        [2, { state: 'declined', outcome: { kind: 'declined', reason: 'insufficientBalance', responseCode: '1201' } }],
      ]);
    };
    wallet.onPresent = async () => {
      this.rules.codeAsked();
      await this.#hold();
      return this.#one<walletScripts.PresentScript>([
        [12, walletScripts.showsCode],
        [2, walletScripts.showsAndIsSilent],
        [1, walletScripts.isSilent],
        [1, walletScripts.isDown],
        [1, { outcome: { kind: 'declined', reason: 'declined', responseCode: '1101' } }],
      ]);
    };
    wallet.onEnquire = async () => (await this.#hold(), this.#enquiry());
    wallet.onAnswer = () => this.#hold();
    wallet.onClose = async () => {
      await this.#hold();
      return this.#one<walletScripts.CloseScript>([
        [6, { closes: true }],
        [2, { closes: true, outcome: { kind: 'unanswered' } }],
        [1, { closes: false, outcome: { kind: 'unanswered' } }],
        [1, { closes: false, outcome: { kind: 'refused', responseCode: '1296' } }],
      ]);
    };
    wallet.onRefund = async ({ tradeNo }) => {
      await this.#hold();
      return this.#one<walletScripts.PayScript>([
        [4, { state: 'paid', outcome: walletScripts.approvedOrder(tradeNo) }],
        [2, walletScripts.paysAndIsSilent],
        [1, walletScripts.isSilent],
      ]);
    };
    octopus.onDeduct = (order) => this.#deduct(order.reference, order.cardId);
    octopus.onFind = async (): Promise<OctopusFinding | undefined> => {
      await this.#hold();
      return this.#odds(40) ? { kind: 'unanswered' } : undefined;
    };
    equipped.onComplete = async ({ kind }): Promise<CardCompletion> => {
      await this.#hold();
      if (kind !== 'approved') return { kind: 'refused', emv: new Map() };
      return this.#one<CardCompletion>([
        [6, { kind: 'agreed', emv: new Map() }],
        [1, { kind: 'refused', emv: new Map() }],
        [1, { kind: 'lost' }],
      ]);
    };
    const slow = this.#odds(60);
    for (const device of [reader, scanner.wait, octopus.wait, pinPad.wait]) device.holdsDisarm = slow;
  }

  async #request(order: OnlineOrder): Promise<HostScript> {
    if (order.operation !== 'sale') throw new Error(`a ${order.operation} was not asked for`);
    const { encryptedPan, pin, account } = order.card;
    const item = Buffer.from(encryptedPan).toString('hex');
    this.rules.charged({ item, account, pin: pin && Buffer.from(pin.block).toString('hex') });
    await this.#hold();
    return this.#one([
      [5, approves],
      [4, declines(pin ? '55' : '51')],
      [1, declines('51')],
      [1, postsAndIsSilent],
      [1, isSilent],
      [1, isDown],
    ]);
  }

  async #deduct(reference: string, cardId: string): Promise<DeductionScript> {
    const again = this.#stage.octopus.deductions.filter((each) => each.reference === reference).length > 1;
    if (!again) this.rules.charged({ item: cardId });
    await this.#hold();
    const uncertain: Weighted<DeductionScript> = [
      [2, staysIncomplete],
      [2, { outcome: { kind: 'otherCard' } }],
      [2, { outcome: { kind: 'tryAgain', code: 100_032 } }],
      [1, deductsAndGoesAway],
      [1, goesAway],
      [3, deducts],
    ];
    if (again) return this.#one(uncertain);
    return this.#one([
      ...uncertain,
      [1, { outcome: { kind: 'insufficient', code: 100_048, balanceMinor: 100n } }],
      [1, { outcome: { kind: 'refused', reason: 'amountLimitExceeded', code: 100_049 } }],
    ]);
  }

  #enquiry(): WalletFinding | undefined {
    return this.#odds(15) ? { kind: 'unknown' } : undefined;
  }

  /** Delays a message or an answer. */
  #hold(): Promise<void> {
    if (!this.#holds || this.#odds(60)) return Promise.resolve();
    return new Promise((resolve) => this.#held.push(resolve));
  }

  #release(): void {
    const [release] = this.#held.splice(this.#chance(this.#held.length), 1);
    release?.();
  }

  async #turns(): Promise<void> {
    const turns = this.#of([0, 1, 2, 3, 5, 8, 13, 40]);
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
  }

  #offered(item: string, inSlot = false): string {
    this.rules.offers(item, inSlot);
    return item;
  }

  #next(): number {
    return (this.#items += 1);
  }

  #odds(percent: number): boolean {
    return this.#chance(100) < percent;
  }

  #of<Each>(all: readonly Each[]): Each {
    return all[this.#chance(all.length)] as Each;
  }

  #one<Each>(all: Weighted<Each>): Each {
    let at = this.#chance(all.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, each] of all) if ((at -= weight) < 0) return each;
    throw new Error('chance is out of its limits');
  }
}
