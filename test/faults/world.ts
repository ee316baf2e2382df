import { HeldAcquirers } from '../../src/payment/holds/held-acquirers.ts';
import type { Message } from '../../hw-sim/host/iso8583/message.ts';
import { acquirerId, type TerminalTransactionId } from '../../src/base/domain/identifiers.ts';
import type { Merchants } from '../../src/payment/transaction/merchants.ts';
import type { Cloud } from './cloud/cloud.ts';
import type { Posting } from './card-books.ts';
import { CardHost } from './card-host.ts';
import { cardAcquirers } from './card-acquirers.ts';
import { Daemon, octopusId, walletId } from './daemon.ts';
import type { Dice } from './dice.ts';
import { Disk, short } from './disk.ts';
import { type Cut, Generation } from './generation.ts';
import { Ledger, numeric } from './ledger.ts';
import { Line } from './line.ts';
import { Log } from './log.ts';
import { MachineClock } from './machine-clock.ts';
import { OctopusTill } from './octopus-till.ts';
import { Operator } from './operator.ts';
import { PaperRoll } from './paper.ts';
import { Rules } from './rules.ts';
import { SiteRules } from './site-rules.ts';
import { Terms } from './terms.ts';
import { VirtualTime } from './virtual-time.ts';
import type { PosAnswer } from './pos-answer.ts';
import { HostClock } from './wallet/clock.ts';
import { WalletServer } from './wallet/host.ts';
import { holdRefunds } from './wallet/held-refunds.ts';
import { payOrdersLate } from './wallet/late-payments.ts';
import { WalletLine } from './wallet/line.ts';

/** When a schedule begins, by the hosts' clocks. */
const beginnings = [
  new Date('2026-01-12T04:00:00Z'),
  // The last minutes of a month in Hong Kong, and the first of one.
  new Date('2026-01-31T15:50:00Z'),
  new Date('2026-02-28T16:10:00Z'),
];
// A terminal's own zone; the same wherever a schedule is played.
process.env['TZ'] = 'Asia/Hong_Kong';

/** Duration of a restart by the machine and its supervisor. */
const downMs = { least: 500, most: 30_000 };

/** Everything outside the daemon's process, and the current process. */
export class World {
  readonly time = new VirtualTime();
  readonly log = new Log(this.time);
  readonly dice: Dice;
  /** The terminal's. */
  readonly clock: MachineClock;
  readonly disk: Disk;
  readonly terms: Terms;
  /** The card hosts, then their second sites if these have their own books. */
  readonly hosts: CardHost[];
  /** The lines to the hosts, then those to their second sites. */
  lines: readonly Line[];
  readonly wallet: WalletServer;
  readonly walletLine: WalletLine;
  readonly octopus: OctopusTill;
  readonly paper: PaperRoll;
  /**
   * The percentage of reversals that hosts refuse while their banks answer at once. 0: the banks wait for what is on
   * its way.
   */
  hastyOdds: number;
  readonly ledger: Ledger;
  readonly rules: Rules;
  readonly operator: Operator;
  /** Currencies of the tills' requests. */
  readonly currencies: readonly string[];
  dailyAt: string | undefined;
  /** The merchants, in schedules with several. */
  merchants: Merchants | undefined;
  /** How often the state directory is empty after a process has ended, percent. */
  lossOdds = 0;
  /** How often an image of it is made, or put back, after a process has ended, percent. */
  rollBackOdds = 0;
  daemon: Daemon | undefined;
  cloud: Cloud | undefined;
  /** Called when a process has ended, and its open calls with it. */
  onGone: () => void = () => undefined;
  /** Called when the journal is lost: open requests of POS clients will get no outcome. */
  onLost: () => readonly PosAnswer[] = () => [];
  /** State of the transactions at the hosts at that moment. */
  readonly before: { readonly answer: PosAnswer; readonly stands: string }[] = [];
  /** If true, every customer pays without problems. */
  willing = false;
  /** Faults of the lines to card hosts, percent. */
  lineTroubles: readonly number[] = [15, 30, 60, 90];
  /** If true, most customers pay by card. */
  prefersCards = false;
  /** Percentage of the customers' actions that fail. */
  customerTrouble = 0;
  /** The rules of `SiteRules`, if each site has its own books. */
  #siteRules: SiteRules | undefined;
  #generations = 0;
  #identifiers = 0;
  #cutsLeft: number;

  constructor(dice: Dice, cuts: number, later: Dice, changing: Dice, holding: Dice) {
    this.dice = dice;
    this.#cutsLeft = cuts;
    const { time, log } = this;
    const began = dice.of(beginnings);
    this.clock = new MachineClock(time, log, began.getTime());
    this.currencies = dice.of([['HKD'], ['HKD', 'CNY'], ['HKD', 'CNY', 'USD']]);
    this.disk = new Disk(time, this.clock, dice, log);
    this.terms = new Terms(cardAcquirers, changing, this.disk, log);
    this.hosts = cardAcquirers.map((id) => new CardHost(id, dice, log));
    this.lines = this.hosts.map(
      (host) => new Line(host, time, dice, later, log, (message) => this.#leaves(host, message)),
    );
    this.wallet = new WalletServer(
      time,
      new HostClock(time, new Date(began.getTime() + dice.between(-300, 300) * 1000)),
      dice,
      log,
    );
    for (const line of this.lines) this.#watches(line);
    payOrdersLate(this, later);
    this.walletLine = new WalletLine(this.wallet, time, dice, log, (call, tradeNo) =>
      this.rules.ordered(walletId, call, tradeNo),
    );
    this.octopus = new OctopusTill(time, dice, log, (reference) => this.rules.ordered(octopusId, 'deduct', reference));
    this.paper = new PaperRoll(dice, log);
    this.ledger = new Ledger(this.disk, this.hosts, this.wallet.books, this.octopus);
    this.rules = new Rules(this.disk, this.ledger, log);
    for (const host of this.hosts) host.onStranger = (what) => this.rules.fault(`I9: ${what}`);
    this.disk.onAccepted = (unfinished) => this.rules.accepted(unfinished);
    this.rules.isPassedOver = (id) => this.daemon?.isPassedOver(id) ?? false;
    this.operator = new Operator(this.ledger, log);
    this.operator.isQuiet = (acquirer) =>
      acquirer === walletId
        ? this.walletLine.isQuiet
        : this.lines.every((line) => line.host.id !== acquirer || line.isQuiet);
    this.hastyOdds = changing.of([0, 0, 60]);
    this.operator.isHasty = (acquirer) =>
      this.hastyOdds > 0 && this.lines.every((line) => line.host.id !== acquirer || !line.hasRequest);
    for (const host of this.hosts) host.refusesNow = () => this.hastyOdds > 0 && changing.odds(this.hastyOdds);
    for (const host of this.hosts) {
      host.isDenied = (owner) => this.operator.decided.get(owner) === 'NOT_POSTED';
      host.isConfirmed = (owner) => this.operator.decided.get(owner) === 'POSTED';
    }
    this.operator.onNeedless = (id) =>
      this.rules.fault(`I10: the operator is asked about the advice of ${short(id)}, which its host says it has`);
    this.operator.onDecided = (id) => this.octopus.settledByPhone(id);
    holdRefunds(this, holding);
    this.wallet.onWaiting = (entry) => {
      if (this.willing) time.in(2_000, () => this.wallet.paid(entry));
      else if (dice.odds(70)) time.in(dice.between(500, 40_000), () => this.wallet.paid(entry));
    };
  }

  /** Whether the hosts have two sites with books of their own. */
  get hasOwnBooks(): boolean {
    return this.#siteRules !== undefined;
  }

  /** Whether the hosts have two sites with the same books. */
  get hasSharedBooks(): boolean {
    return this.lines.length > this.hosts.length;
  }

  /** Gives each host a second site: another line to the same books, or to books of its own. */
  addSites(dice: Dice, isShared: boolean): void {
    this.terms.addSites(isShared);
    const sites = isShared ? this.hosts : this.hosts.map((host) => this.#secondOf(host, dice));
    const seconds = sites.map(
      (host) => new Line(host, this.time, dice, dice, this.log, (message) => this.#leaves(host, message)),
    );
    for (const line of seconds) this.#watches(line);
    this.lines = [...this.lines, ...seconds];
    if (isShared) return;
    this.hosts.push(...sites);
    this.#siteRules = new SiteRules(this);
  }

  #secondOf({ id, onStranger, refusesNow, isDenied, isConfirmed }: CardHost, dice: Dice): CardHost {
    const second = new CardHost(id, dice, this.log, `${id}-2`);
    return Object.assign(second, { onStranger, refusesNow, isDenied, isConfirmed });
  }

  #leaves(host: CardHost, message: Message): TerminalTransactionId | undefined {
    const owner = this.rules.leaves(host, message);
    this.#siteRules?.leaves(host, message, owner);
    if (owner) this.ledger.leaves(host, Number(message.fields.get(11)), owner);
    return owner;
  }

  #watches(line: Line): void {
    line.onFault = (what) => this.rules.fault(what);
    line.diskFailedAtMs = () => this.disk.failedAtMs;
    line.isWritten = (settled) =>
      !this.disk.store
        .settlingBatches(acquirerId(line.host.id))
        .some(({ batch, currencies }) =>
          currencies.some((each) => `${batch} ${numeric[each.currency]}` === settled && each.result === undefined),
        );
  }

  /** Starts a process; a random number decides whether and where it will be killed. */
  starts(): void {
    const cut = this.#cutsLeft > 0 && this.dice.odds(75) ? this.#nextCut() : undefined;
    void this.#begins(cut);
  }

  async #begins(cut: Cut | undefined): Promise<void> {
    const { holds, keeps } = await this.terms.find();
    await this.terms.keep(keeps);
    const generation = new Generation((this.#generations += 1), this.time, this.clock, cut, (at) => this.#gone(at));
    this.log.push(`== daemon: process ${generation.number} starts`);
    this.daemon = await Daemon.open(generation, this, new HeldAcquirers(holds));
    Object.assign(this.daemon.counter, { trouble: this.customerTrouble, willing: this.willing });
  }

  /** The power is cut, now. */
  cut(): void {
    if (this.#cutsLeft > 0) this.daemon?.generation.cut('from outside');
  }

  /** The supervisor stops the process. */
  stops(): void {
    if (this.#cutsLeft > 0 && this.daemon?.listening) this.daemon.stop();
  }

  /** No more cuts: the current process continues to live. */
  spare(): void {
    this.#cutsLeft = 0;
    this.daemon?.generation.spare();
  }

  /** Counts instead of random bytes: identifiers of one clock tick are in the order of their creation. */
  bytes(length: number): Uint8Array {
    const bytes = Buffer.alloc(length);
    bytes.writeUInt32BE((this.#identifiers += 1));
    return bytes;
  }

  /** Whether nothing is running, waiting or unfinished. */
  get isDrained(): boolean {
    const { daemon, disk } = this;
    if (!daemon?.listening || daemon.terminal.running) return false;
    const { store } = disk;
    const waiting = [store.pending(), store.unfinished(), store.unfinishedSettlements(), store.waitingReceipts()];
    return waiting.every(({ length }) => length === 0);
  }

  /** Whether every posting of this journal is in a batch, at hosts that settle. */
  get isSettled(): boolean {
    return this.hosts.every(({ books, manners: { never } }) => {
      const settles = never.settlement === undefined && never.upload === undefined;
      // A tip that the host took and then rejected is between merchant and bank: its batch differs from the books.
      return !settles || books.open().every((posting) => posting.isTipDoubted || !this.isKnown(posting));
    });
  }

  get hasWaitingBatches(): boolean {
    return this.hosts.some(({ id }) => this.disk.store.settlingBatches(acquirerId(id)).length > 0);
  }

  /** Transactions of a journal that was not lost, with an answer. */
  isKnown({ owner, unreported }: Posting): boolean {
    return unreported !== true && owner !== undefined && this.disk.transactions.includes(owner);
  }

  /** The waiting items, in words. */
  get waiting(): string {
    const { store } = this.disk;
    const pending = store.pending().map(({ id, acquirerId: at, message }) => `${message} of ${id} for ${at}`);
    const unfinished = store.unfinished().map((id) => `unfinished ${id}`);
    const settling = store.unfinishedSettlements().map(({ messageId }) => `settlement ${messageId}`);
    const running = this.daemon?.terminal.running;
    const receipts = store.waitingReceipts().map(({ id }) => `receipt of ${id}`);
    return [
      ...pending,
      ...unfinished,
      ...settling,
      ...receipts,
      ...(running ? [`running ${running.messageId}`] : []),
    ].join('; ');
  }

  #nextCut(): Cut {
    const effects = this.dice.one([
      [2, this.dice.between(0, 30)],
      [5, this.dice.between(0, 120)],
      [2, this.dice.between(0, 400)],
    ]);
    return { effects, after: this.dice.odds(50) };
  }

  /** The state directory is lost: another disk, a new image. The hosts' books remain. */
  #loses(): void {
    this.log.counted('journal lost', 'disk: the state directory is lost');
    this.#remembers();
    this.disk.loses();
    this.terms.loses();
  }

  /** An older state directory is put back. The hosts' books remain. */
  #rollsBack(): void {
    const withMarker = this.dice.odds(50);
    this.log.counted(
      `journal put back ${withMarker ? 'whole' : 'without its marker'}`,
      'disk: an older copy is put back',
    );
    this.#remembers();
    this.ledger.putBack(withMarker);
    this.disk.rollsBack(withMarker);
    this.terms.rollsBack();
  }

  /** Records how every answered transaction stands: later events must not change it. */
  #remembers(): void {
    const waiting = new Set(this.disk.store.pending().map(({ id }) => id));
    for (const answer of this.onLost()) {
      // A cash payment is in no host's books. A wallet order that was tried before it may be, and is refunded.
      if (!waiting.has(answer.id) && answer.method !== 'CASH')
        this.before.push({ answer, stands: this.ledger.whatStands(answer.id) });
    }
    this.rules.lost();
  }

  #gone(at: string): void {
    this.#cutsLeft -= 1;
    this.log.counted('crash', `daemon: its process is gone, ${at}`);
    for (const line of this.lines) line.orphaned();
    this.walletLine.cut();
    this.disk.released();
    if (this.dice.odds(50)) this.clock.powered();
    this.terms.mayChange();
    this.disk.released();
    if (this.dice.odds(this.lossOdds)) this.#loses();
    else if (this.disk.isKept && this.dice.odds(this.rollBackOdds)) this.#rollsBack();
    else if (this.dice.odds(this.rollBackOdds)) {
      if (this.disk.keeps()) this.terms.keeps();
    } else this.#keepsHouse(this.dice.odds(25));
    this.daemon = undefined;
    this.onGone();
    this.time.in(this.dice.between(downMs.least, downMs.most), () => this.starts());
  }

  /** As if days or years had passed: no messages of this time arrive any more. */
  #keepsHouse(isOld: boolean): void {
    if (!this.lines.every(({ isQuiet }) => isQuiet)) return;
    this.disk.erases();
    if (isOld) this.disk.archives();
  }
}
