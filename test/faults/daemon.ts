import { iso8583Acquirer } from '../../src/hosts/iso8583/host.ts';
import { iso8583Limits } from '../../src/hosts/iso8583/limits.ts';
import { qfpayHost } from '../../src/hosts/qfpay/host.ts';
import { qfpayLimits } from '../../src/hosts/qfpay/limits.ts';
import type { AcquirerSource } from '../../src/main/composition/acquirers.ts';
import type { CardAcquirer } from '../../src/config/configuration.ts';
import type { HeldAcquirers } from '../../src/main/composition/held-acquirers.ts';
import { withHold } from '../../src/main/composition/hosts.ts';
import { ProgressWatch } from '../../src/main/composition/progress-watch.ts';
import { openRelease } from '../../src/main/composition/release-held.ts';
import { switchable } from '../../src/main/composition/switchable.ts';
import { UnsettledSearch } from '../../src/payment/records/first-unsettled.ts';
import { openDailySettlement } from '../../src/main/composition/daily-settlement.ts';
import { makeDesk } from '../../src/main/composition/desk.ts';
import { OpenParts } from '../../src/main/composition/open-parts.ts';
import { openQueues, type Queues } from '../../src/main/composition/queues.ts';
import { openMethods } from '../../src/main/composition/methods.ts';
import { acquirerId, type TerminalTransactionId } from '../../src/base/domain/identifiers.ts';
import { UnsendableOrder } from '../../src/payment/contracts/acquirer-host.ts';
import { DeviceError } from '../../src/base/ports/device.ts';
import { type Journal, JournalError } from '../../src/payment/contracts/journal.ts';
import type { LateAnswer } from '../../src/payment/contracts/late-answer.ts';
import { octopusLimits } from '../../src/base/ports/octopus-reader.ts';
import { centredLine } from '../../src/receipt/line.ts';
import { OctopusReturn } from '../../src/methods/octopus/card-return.ts';
import { ReceiptService } from '../../src/payment/terminal/receipt-service.ts';
import { Terminal } from '../../src/payment/terminal/terminal.ts';
import type { TipTerms } from '../../src/options/tip/offers.ts';
import { signatureOption } from '../../src/options/signature/option.ts';
import { tipOption } from '../../src/options/tip/option.ts';
import type { AcquirerProfile } from '../../src/payment/transaction/acquirer-profile.ts';
import type { ApiParts } from '../../src/pos/api/call.ts';
import type { OperatorDesk } from '../../src/operator/desk.ts';
import type { OperatorPassword } from '../../src/operator/password.ts';
import { statusReport } from '../../src/observability/status.ts';
import { rules, timeouts, waits } from '../payment/terminal/stage.ts';
import { noCounter } from '../support/no-counter.ts';
import { wallets } from '../support/wallets.ts';
import type { Cloud } from './cloud/cloud.ts';
import { Counter } from './counter.ts';
import type { Generation } from './generation.ts';
import type { Dice } from './dice.ts';
import type { Disk } from './disk.ts';
import type { Line } from './line.ts';
import type { Log } from './log.ts';
import type { OctopusTill } from './octopus-till.ts';
import type { PaperRoll } from './paper.ts';
import { called, type Heard } from './pos-api.ts';
import type { Rules } from './rules.ts';
import type { Terms } from './terms.ts';
import { credentials } from './wallet/host.ts';
import type { WalletLine } from './wallet/line.ts';
import { WaitingCalls } from '../../src/pos/api/waiting-calls.ts';

export const walletId = acquirerId('QR');
export const octopusId = acquirerId('OCTOPUS');
export const cardAcquirers = ['EDC', 'CUP', 'EPS'] as const;

const cardBrands = { EDC: ['VISA', 'MASTER', 'AMEX', 'JCB'], CUP: ['UNIONPAY'], EPS: ['EPS'] } as const;
const walletProfile: AcquirerProfile = {
  id: walletId,
  brands: ['ALIPAY', 'WECHAT', 'UPI_QR', 'FPS'],
  limits: qfpayLimits,
  scanned: ['ALIPAY', 'WECHAT', 'UPI_QR'],
  presented: ['ALIPAY', 'WECHAT', 'FPS', 'UPI_QR'],
  lacking: { FPS: ['REFUND', 'VOID_SALE', 'VOID_REFUND'] },
};
const octopusProfile: AcquirerProfile = { id: octopusId, brands: ['OCTOPUS'], limits: octopusLimits };
const cashProfile: AcquirerProfile = { id: acquirerId('CASH'), brands: ['CASH'] };

export const connectTimeoutMs = 5_000;
/** Configured default. */
export const noRecordGraceMs = 60_000;

const signatureMs = 20_000;
const tips: TipTerms = {
  percents: [10],
  amounts: { HKD: [100, 200], JPY: [100] },
  ownAmount: true,
  percentMax: rules.tipPercentMax,
};
const options = [tipOption({ terms: tips, timeoutMs: timeouts.tipMs }), signatureOption({ timeoutMs: signatureMs })];

/** Default of systemd. */
const stopMs = 90_000;
/** As in src/main/run.ts when the journal is broken. */
const failedStopMs = 2_000;

const shop = { name: 'Harbour Tea House', address: '1 Pier Road, Hong Kong', phone: '', email: '', logo: '' };
/** Accepts any password. */
const password = { try: async () => ({ kind: 'right' }), isSet: async () => true } as unknown as OperatorPassword;

function refuseCall(): never {
  throw new Error('no till of this simulation makes this call');
}
const uncalled = {
  events: { serve: refuseCall },
  lists: { page: refuseCall, acquirers: refuseCall },
  reports: { read: refuseCall },
} satisfies Partial<ApiParts>;

/** The surroundings of the daemon's process. */
export interface Surroundings {
  readonly dice: Dice;
  readonly log: Log;
  readonly disk: Disk;
  readonly lines: readonly Line[];
  readonly walletLine: WalletLine;
  readonly octopus: OctopusTill;
  readonly paper: PaperRoll;
  readonly rules: Rules;
  readonly terms: Terms;
  /** Time of the daily settlement, 'hh:mm' by the terminal's clock, if there is one. */
  readonly dailyAt: string | undefined;
  /** Of the schedules that have one. */
  readonly cloud: Cloud | undefined;
  bytes(length: number): Uint8Array;
}

/** One life of the daemon: the whole core as src/main/composition assembles it, on the simulated world. */
export class Daemon {
  readonly generation: Generation;
  readonly counter: Counter;
  readonly terminal: Terminal;
  readonly journal: Journal;
  readonly progress = new ProgressWatch();
  readonly search: UnsettledSearch;
  readonly held: HeldAcquirers;
  readonly desk: OperatorDesk;
  /** As shown by status and the operator's menu. */
  readonly isUnsendable: (id: TerminalTransactionId) => boolean;
  /** Recovery is over: requests are accepted. */
  listening = false;
  readonly #parts: ApiParts;
  readonly #stopping: () => Promise<void>;
  readonly #opened = new OpenParts();
  #startDaily: () => void = () => undefined;
  #startRelease: () => void = () => undefined;
  #startCloud: (() => Promise<void>) | undefined;

  constructor(generation: Generation, world: Surroundings, held: HeldAcquirers) {
    this.generation = generation;
    const { clock } = generation;
    const { dice, log, disk, octopus: till } = world;
    this.counter = new Counter(generation, dice, log, world.rules);
    const journal = withWatch(
      this.progress,
      world.cloud?.watched(disk.journal(generation)) ?? disk.journal(generation),
    );
    this.journal = journal;
    this.search = new UnsettledSearch(journal);
    const sources: AcquirerSource[] = [];
    for (const [index, line] of world.lines.entries()) {
      const name = line.host.id as (typeof cardAcquirers)[number];
      const id = acquirerId(name);
      const more = { id, connectTimeoutMs, replyTimeoutMs: 15_000, dialect: name, timeZone: 'Asia/Hong_Kong' };
      const onLate = (answer: LateAnswer) => {
        log.counted('answer that nobody waits for', name);
        queues.lateAnswers.hear(answer);
      };
      const hostOf = (settings: CardAcquirer) =>
        iso8583Acquirer({ ...settings, ...more }, { clock, dial: line.dial(generation), onLate });
      const next = hostOf(world.terms.configuration.acquirers[index] as CardAcquirer);
      const profile = { id, brands: cardBrands[name], limits: iso8583Limits };
      const former = held.all.find((each) => each.id === id)?.former;
      if (former?.protocol !== 'iso8583') {
        sources.push(withHold({ kind: 'card', profile, host: next }, held));
        continue;
      }
      const before = hostOf(former);
      const { part: host, switchTo } = switchable(before);
      held.onSwitch(id, async () => {
        log.counted('acquirer released', name);
        switchTo(next);
        await before.close();
      });
      log.counted('acquirer held', name);
      sources.push(withHold({ kind: 'card', profile, host }, held));
    }
    const wallet = qfpayHost(
      {
        ...credentials,
        id: walletId,
        url: 'http://127.0.0.1',
        tid: '00000002',
        wallets,
        connectTimeoutMs,
        replyTimeoutMs: 15_000,
      },
      { clock, dial: world.walletLine.dial(generation) },
    );
    const octopus: OctopusReturn = new OctopusReturn({
      reader: till.reader(generation, this.counter.poll),
      journal,
      clock,
      onCompleted: () => void queues.forwarder.flush(octopusId),
      onFailure: (error) => onFailure(error),
    });
    const onFailure = (error: unknown) => {
      if (!generation.alive || error instanceof JournalError || error instanceof DeviceError) return;
      // Passed over on purpose: the operator has it.
      if (error instanceof UnsendableOrder && error.message.includes('from elsewhere')) return;
      world.rules.fault(`an error of the core itself: ${error instanceof Error ? error.stack : String(error)}`);
    };
    sources.push(
      { kind: 'wallet', profile: walletProfile, host: wallet },
      { kind: 'octopus', profile: octopusProfile, reader: octopus },
      { kind: 'cash', profile: cashProfile },
    );
    const random = { bytes: (length: number) => world.bytes(length) };
    const receipts = this.#opened.add(
      new ReceiptService({
        journal,
        printer: world.paper.printer(generation),
        sheets: (paper) => [[centredLine(paper.paper === 'receipt' ? paper.tree.record.id : paper.settlement.id)]],
        onFailure,
      }),
    );
    const queues: Queues = openQueues(
      sources,
      {
        journal,
        clock,
        random,
        prints: true,
        noRecordGraceMs,
        lagMs: 60_000,
        onThrough: () => receipts.wake(),
        onHeard: (what) => log.counted(what, 'host'),
        onPaid: () => log.counted('wallet order found paid at the later enquiry'),
        onFailure: (_part, error) => onFailure(error),
      },
      this.#opened,
    );
    const { acquirers, forwarder } = queues;
    const methods = openMethods({
      ...queues,
      reader: this.counter.reader,
      profiles: wallets,
      scanner: this.counter.scanner,
      octopus,
      openDrawer: async () => generation.does('drawer', () => log.push('drawer: open')),
      waits,
    });
    const terminal = new Terminal({
      ...queues,
      journal,
      acquirers,
      methods,
      receipts,
      screen: this.counter.screen,
      events: {
        emit: (event) => {
          const { terminalTransactionId: id } = event;
          this.progress.emit(event);
          if (id !== undefined && generation.alive) world.rules.heard('a watcher', id as TerminalTransactionId);
        },
      },
      currency: 'HKD',
      clock,
      random,
      rules,
      options,
      timeouts,
      onFailure,
    });
    this.terminal = terminal;
    this.held = held;
    const noted = { info: () => undefined, failure: (_part: string, error: unknown) => onFailure(error) };
    const release = { held, inUse: world.terms, journal, terminal, progress: this.progress, clock, log: noted };
    this.#startRelease = () => openRelease(release, this.#opened);
    const isUnsendable = (id: TerminalTransactionId) => forwarder.isUnsendable(id);
    this.isUnsendable = isUnsendable;
    const counter = {
      terminal,
      clock: { state: 'ok' as const },
      reader: this.counter.reader,
      acquirers,
      journal,
      isUnsendable,
    };
    this.#parts = {
      ...uncalled,
      waiting: new WaitingCalls(),
      counter: noCounter,
      terminal,
      means: { profiles: [...acquirers.values()].map(({ profile }) => profile), modes: methods.modes, options },
      shop,
      // No till here prints.
      reprints: { fault: undefined, slip: () => [] } as unknown as ApiParts['reprints'],
      answerFor: () => ({ shape: 'A', printedBy: 'terminal' }),
      collectTimes: { usualMs: timeouts.collectMs, leastMs: timeouts.collectMs, mostMs: timeouts.collectMs },
      status: () => statusReport(counter),
    };
    this.desk = makeDesk(this.#parts, {
      notices: () => [],
      terminal,
      forwarder,
      acquirers,
      journal,
      password,
      rules,
      refundRight: {},
      audit: { write: async () => undefined },
      machine: { devices: () => [], addresses: () => [] },
      onBatchDecided: () => undefined,
      clock,
      random,
      currency: 'HKD',
      version: '',
      onFailure,
    });
    const { dailyAt } = world;
    this.#startDaily = () => {
      const log = { failure: (_part: string, error: unknown) => onFailure(error) };
      const settlement = { dailyAt };
      this.#opened.add(openDailySettlement({ settlement }, { acquirers, journal, clock, random, terminal, log }));
    };
    const { cloud } = world;
    if (cloud)
      this.#startCloud = async () => {
        this.#opened.add(await cloud.serves(generation, { ...this.#parts, terminal, journal }, onFailure));
      };
    this.#stopping = async () => {
      await this.terminal.close();
      await this.#opened.close(onFailure);
      if (this.counter.armed.length > 0) world.rules.fault(`the ${this.counter.armed.join()} is armed after the stop`);
    };
    void journal.broken.then(() => this.#fails());
    void this.#start(receipts);
  }

  /** A call of a POS, with its body as text; a GET has none. */
  called(path: string, text: string | undefined): Promise<Heard> {
    return called(path, text, this.#parts);
  }

  /** An orderly stop by the supervisor, which kills the process if it takes too long. */
  stop(): void {
    this.listening = false;
    void this.#stopping().then(() => this.generation.cut('stopped'));
    this.generation.hears(stopMs, () => this.generation.cut('killed, it did not stop'));
  }

  /**
   * The end of the process when the journal is broken: devices are released, and the next start reads what is there.
   */
  #fails(): void {
    this.listening = false;
    const ends = () => this.generation.cut('the journal is broken');
    void this.#stopping().then(ends, ends);
    this.generation.hears(failedStopMs, ends);
  }

  async #start(receipts: ReceiptService): Promise<void> {
    try {
      await this.terminal.recover();
    } catch (error) {
      if (!(error instanceof JournalError)) throw error;
      // As its process ends where it can't recover, and is started again.
      return this.generation.cut('the journal fails at the start');
    }
    receipts.wake();
    this.#startDaily();
    this.#startRelease();
    await this.#startCloud?.();
    this.listening = true;
  }
}

/** Tells what the journal has written, as its own watchers are told. */
function withWatch(progress: ProgressWatch, journal: Journal): Journal {
  const append: Journal['append'] = async (id, events) => {
    const stored = await journal.append(id, events);
    progress.wrote(id, events);
    return stored;
  };
  const endSettlement: Journal['endSettlement'] = async (...ended) => {
    await journal.endSettlement(...ended);
    progress.settled();
  };
  return { ...journal, append, endSettlement };
}
