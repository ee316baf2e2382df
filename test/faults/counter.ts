import type { Account } from '../../src/base/domain/account.ts';
import type {
  CardCompletion,
  CardDecision,
  CardReader,
  CollectOutcome,
  CollectRequest,
  PresentedCard,
} from '../../src/base/ports/card-reader.ts';
import type { CodeScanner, ScanOutcome } from '../../src/base/ports/code-scanner.ts';
import { type Amount, parseMajor } from '../../src/base/domain/amount.ts';
import type { CurrencyCode } from '../../src/base/domain/currency.ts';
import { DeviceError } from '../../src/base/ports/device.ts';
import type { OctopusPoll } from '../../src/base/ports/octopus-reader.ts';
import type { PinOutcome } from '../../src/base/ports/pin-pad.ts';
import type { Screen, ScreenAction, ScreenView } from '../../src/payment/contracts/screen.ts';
import type { PageAction } from '../payment/terminal/stage.ts';
import { ArmedWait } from '../payment/terminal/armed-wait.ts';
import { card } from '../payment/terminal/scripted-reader.ts';
import { codes } from '../payment/terminal/scripted-scanner.ts';
import type { Dice } from './dice.ts';
import type { Generation } from './generation.ts';
import type { Log } from './log.ts';
import type { Rules } from './rules.ts';

/** The customer's card: that of the original if it is refunded. */
export type Pocket = 'visa' | 'unionpay';

const accounts = ['SAVINGS', 'CURRENT'] as const satisfies readonly Account[];
const modes = ['CARD', 'QR_SCAN', 'QR_PRESENT', 'OCTOPUS', 'EPS', 'CASH'] as const;
const gone = new DeviceError('vanished', 'it was pulled out');
const still = { state: 'ready', onState: () => () => undefined, close: async () => undefined } as const;

/** What the rules hear of the counter. */
type Heard = Pick<Rules, 'approved' | 'cardRefused' | 'armed' | 'chose' | 'heard'>;

/** The devices of one life of the terminal, with the customer and the merchant. */
export class Counter {
  /** Percentage of the customer's actions that fail. */
  trouble = 0;
  /** If true, no chip declines, and nobody changes the method. */
  willing = false;
  /** The card of the customer whose payment is running. */
  pocketOf: () => Pocket = () => 'visa';
  readonly #generation: Generation;
  readonly #dice: Dice;
  readonly #log: Log;
  readonly #rules: Heard;
  /** Buffers of track and PIN that the terminal received. */
  readonly #secrets: Uint8Array[] = [];
  readonly #card: ArmedWait<CollectOutcome>;
  readonly #code: ArmedWait<ScanOutcome>;
  readonly #octopus: ArmedWait<OctopusPoll>;
  readonly #pin: ArmedWait<PinOutcome>;
  #view: ScreenView | undefined;
  /** For what the reader was armed last. */
  #armedWith: Amount | undefined;
  #act: (action: ScreenAction) => void = () => undefined;

  constructor(generation: Generation, dice: Dice, log: Log, rules: Heard) {
    this.#generation = generation;
    this.#dice = dice;
    this.#log = log;
    this.#rules = rules;
    this.#card = new ArmedWait<CollectOutcome>('reader', { kind: 'cancelled' }, log);
    this.#code = new ArmedWait<ScanOutcome>('scanner', { kind: 'cancelled' }, log);
    this.#octopus = new ArmedWait<OctopusPoll>('octopus', { kind: 'cancelled' }, log);
    this.#pin = new ArmedWait<PinOutcome>('pin pad', { kind: 'cancelled' }, log);
  }

  /** The devices that wait for a customer. */
  get armed(): string[] {
    const { armed } = this.#card;
    return [
      ...(armed ? ['reader'] : []),
      ...(this.#code.armed ? ['scanner'] : []),
      ...(this.#octopus.armed ? ['Octopus reader'] : []),
      ...(this.#pin.armed ? ['PIN pad'] : []),
    ];
  }

  /** Whether all buffers of customer data are overwritten. */
  get isForgotten(): boolean {
    return this.#secrets.every((secret) => secret.every((byte) => byte === 0));
  }

  readonly reader: CardReader = {
    ...still,
    name: 'simulated reader',
    interfaces: ['contactless', 'chip', 'magstripe'],
    collect: (request, signal) => {
      this.#armedWith = request.amount;
      return this.#armed(this.#card, signal, () => this.#presents(request));
    },
    complete: (decision) => this.#completed(decision),
    pinPad: { enterPin: (_request, signal) => this.#armed(this.#pin, signal, () => this.#entersPin()) },
  };

  readonly scanner: CodeScanner = {
    ...still,
    name: 'simulated scanner',
    scan: (signal) => this.#armed(this.#code, signal, () => this.#showsCode()),
  };

  readonly poll = (signal: AbortSignal): Promise<OctopusPoll> => this.#armed(this.#octopus, signal, () => this.#taps());

  readonly screen: Screen = {
    isWatched: true,
    show: (view) => this.#generation.does('screen', () => this.#shown(view)),
    onAction: (listener) => {
      this.#act = listener;
      return () => undefined;
    },
  };

  act(action: PageAction): void {
    const transaction = this.#view?.transaction ?? '';
    this.#act({ transaction, ...action });
  }

  #armed<Outcome extends { readonly kind: string }>(
    wait: ArmedWait<Outcome>,
    signal: AbortSignal,
    gives: () => void,
  ): Promise<Outcome> {
    let armed: Promise<Outcome> | undefined;
    this.#generation.does('arming', () => {
      wait.holdsDisarm = this.#dice.odds(this.trouble);
      armed = wait.arm(signal);
      const disarms = (): unknown => this.#generation.receives(this.#dice.between(1, 900), () => wait.confirmDisarm());
      // A cancel may be older than the arming.
      if (signal.aborted) disarms();
      else signal.addEventListener('abort', disarms);
      this.#generation.receives(this.#dice.between(300, 9_000), () => {
        if (signal.aborted || !wait.armed) return;
        if (this.#dice.odds(this.trouble / 4)) wait.fail(gone);
        else if (!this.#dice.odds(this.trouble / 4)) gives();
      });
    });
    return armed ?? new Promise(() => undefined);
  }

  #presents({ interfaces = [] }: CollectRequest): void {
    const { secret, card: presented } = this.#newCard();
    const chip = interfaces.includes('chip') && this.#dice.odds(30);
    const pin = !chip && this.#dice.odds(20);
    const signs = !pin && this.#dice.odds(20);
    const wrong = this.#dice.odds(this.trouble);
    if (wrong && this.#dice.odds(50)) {
      return this.#card.answer(
        this.#dice.of([
          { kind: 'tryAgain', reason: 'collision' },
          { kind: 'refused', reason: 'expired' },
          { kind: 'timeout' },
        ] as const),
      );
    }
    this.#secrets.push(secret);
    this.#card.answer({
      kind: 'card',
      card: {
        ...presented,
        ...(chip ? { entryMode: 'CHIP', awaitsDecision: true } : {}),
        ...(pin ? { emv: new Map([...presented.emv, ['DF52', Uint8Array.of(2)]]) } : {}),
        ...(signs ? { emv: new Map([...presented.emv, ['DF52', Uint8Array.of(1)]]) } : {}),
      },
    });
  }

  #newCard(): { readonly secret: Uint8Array; readonly card: PresentedCard } {
    const presented = card(this.pocketOf());
    return { secret: presented.encrypted.track2, card: presented };
  }

  #entersPin(): void {
    if (this.#dice.odds(this.trouble / 2)) return this.#pin.answer({ kind: 'cancelled' });
    const block = Buffer.alloc(8, 0xc3);
    this.#secrets.push(block);
    this.#pin.answer({ kind: 'pin', pin: { format: 'ISO-0', ksn: Buffer.from('FFFF9876543210E00002', 'hex'), block } });
  }

  #showsCode(): void {
    const { ALIPAY, WECHAT, UPI_QR, none } = codes;
    this.#code.answer({
      kind: 'code',
      text: this.#dice.odds(this.trouble) ? none : this.#dice.of([ALIPAY, WECHAT, UPI_QR]),
    });
  }

  #taps(): void {
    if (this.#dice.odds(this.trouble)) return this.#octopus.answer({ kind: 'tryAgain', code: 100_016 });
    this.#octopus.answer({ kind: 'card', card: { cardId: '12345678', balanceMinor: 50_000n } });
  }

  #completed(decision: CardDecision): Promise<CardCompletion> {
    const { promise, resolve } = Promise.withResolvers<CardCompletion>();
    this.#generation.does('second cryptogram', () => {
      this.#log.push(`reader: complete ${decision.kind}`);
      if (decision.kind === 'approved') this.#rules.approved('the card');
      const emv = new Map<string, Uint8Array>();
      const word = this.#dice.odds(this.willing ? 0 : Math.max(this.trouble, 10))
        ? this.#dice.of(['refused', 'lost'] as const)
        : 'agreed';
      const reported = decision.kind === 'approved' ? word : 'refused';
      if (decision.kind === 'approved' && reported !== 'agreed') {
        this.#log.counted(`chip ${reported}`);
        this.#rules.cardRefused();
      }
      this.#generation.receives(this.#dice.between(50, 1_500), () =>
        resolve(reported === 'lost' ? { kind: reported } : { kind: reported, emv }),
      );
    });
    return promise;
  }

  #shown(view: ScreenView): void {
    const before = this.#view;
    this.#view = view;
    if (view.scene !== before?.scene) this.#log.push(`screen: ${view.scene}`);
    if (view.scene === 'approved' || view.scene === 'sign') this.#rules.approved('the screen');
    if (view.transaction !== undefined) this.#rules.heard('the screen', view.transaction);
    if (view.scene === 'presentCard' && view.transaction !== undefined && this.#armedWith)
      this.#rules.armed(view.transaction, this.#armedWith);
    if (view.scene === 'chooseTip') return this.#asked(view, before);
    if (view.scene === before?.scene && view.transaction === before.transaction) return;
    const act = (action: PageAction) =>
      this.#generation.receives(this.#dice.between(300, 5_000), () => {
        if (this.#view?.transaction === view.transaction) this.act(action);
      });
    switch (view.scene) {
      case 'chooseAccount':
        return void act({ kind: 'account', account: this.#dice.of(accounts) });
      case 'tenderCash':
        return void act({ kind: 'tender', amount: this.#dice.odds(this.trouble) ? '0.10' : '1000' });
      case 'sign':
        this.#log.counted('asked to sign');
        if (this.#dice.odds(60)) return void act({ kind: 'sign', strokes: [[1, 2, 30, 40]] });
        return void (this.#dice.odds(50) && act({ kind: 'signOnPaper' }));
      case 'checkSignature':
        if (this.#dice.odds(60)) return void act({ kind: 'acceptSignature' });
        return void (this.#dice.odds(50) && act({ kind: 'signAgain' }));
      case 'chooseMethod':
        return void (this.#dice.odds(60) && act({ kind: 'choose', mode: this.#dice.of(modes) }));
      case 'presentCode':
        // A customer who sees a code may still choose another method while the transfer is on its way.
        if (!this.willing && this.#dice.odds(45)) act({ kind: 'choose', mode: this.#dice.of(['CARD', 'CASH']) });
        if (this.#dice.odds(this.trouble / 4)) act({ kind: 'cancel' });
        return;
      case 'presentCard':
      case 'scanCode':
      case 'tapOctopus':
        if (this.#dice.odds(this.trouble / 2)) act({ kind: 'choose', mode: this.#dice.of(modes) });
        if (this.#dice.odds(this.trouble / 4)) act({ kind: 'cancel' });
        return;
      default:
    }
  }

  /** The customer chooses a tip, enters one, lets the time pass, or presses what is not there. */
  #asked(view: ScreenView, before: ScreenView | undefined): void {
    const { transaction, tips = [], ownTip, ownTipMost, hint, amount = '0', currency = 'HKD' } = view;
    if (transaction === undefined) return;
    const isNew = before?.scene !== 'chooseTip' || before.transaction !== transaction;
    const isRefused = hint === 'tipNotPossible' && before?.hint !== hint;
    const isOffered = ownTip !== undefined && ownTip.tip !== before?.ownTip?.tip;
    if (!isNew && !isRefused && !isOffered) return;
    if (isRefused) this.#rules.chose(transaction, undefined);
    const none = amount.replaceAll(/\d/g, '0').replace(/^0+(?=\d)/, '');
    const later = (does: () => void) =>
      this.#generation.receives(this.#dice.between(300, 5_000), () => {
        if (this.#view?.transaction === transaction && this.#view.scene === 'chooseTip') does();
      });
    const choose = (tip: string) =>
      later(() => {
        this.#log.counted('tip chosen', `customer: a tip of ${tip} ${currency}`);
        const minor = parseMajor(tip, currency as CurrencyCode);
        if (typeof minor === 'object') this.#rules.chose(transaction, minor.minor);
        this.act({ kind: 'tip', amount: tip });
      });
    if (isRefused) return void choose(none);
    if (isOffered) return void choose(ownTip.tip);
    this.#dice.one<() => void>([
      [tips.length > 0 ? 12 : 0, () => void choose(this.#dice.of(tips).tip)],
      [3, () => void choose(none)],
      [
        ownTipMost === undefined ? 0 : 3,
        () => void later(() => this.act({ kind: 'ownTip', amount: ownTipMost ?? '' })),
      ],
      [1, () => this.#log.counted('no tip chosen in time')],
      [1, () => void later(() => this.act({ kind: 'tip', amount }))],
      [this.trouble > 0 ? 1 : 0, () => void later(() => this.act({ kind: 'cancel' }))],
    ])();
  }
}
