import assert from 'node:assert/strict';
import { iso8583Limits } from '../../src/hosts/iso8583/host.ts';
import { qfpayLimits } from '../../src/hosts/qfpay/limits.ts';
import type { WalletAcquirer } from '../../src/methods/wallet/settings/acquirer-schema.ts';
import type { Dial } from '../../src/hosts/iso8583/dial.ts';
import type { HeldAcquirers } from '../../src/payment/holds/held-acquirers.ts';
import { hostOpener } from '../../src/payment/holds/open-hosts.ts';
import { ProgressWatch } from '../../src/payment/terminal/exclusive-window.ts';
import { openRelease } from '../../src/payment/holds/release-held.ts';
import { UnsettledSearch } from '../../src/payment/records/first-unsettled.ts';
import { openDailySettlement } from '../../src/payment/terminal/daily-settlement.ts';
import { makeMenu } from '../../src/main/composition/operator-menu.ts';
import { OpenParts } from '../../src/main/composition/open-parts.ts';
import {
  configureMethods,
  type MethodConfiguration,
  type OpenedMethods,
  openMethods,
} from '../../src/main/composition/open-methods.ts';
import { paymentMethods } from '../../src/main/methods.ts';
import type { HostOpener } from '../../src/payment/method/payment-method-module.ts';
import { acquirerId, type TerminalTransactionId } from '../../src/base/domain/identifiers.ts';
import { UnsendableOrder } from '../../src/payment/contracts/acquirer-host.ts';
import { DeviceError } from '../../src/base/ports/device.ts';
import { type Journal, JournalError } from '../../src/payment/contracts/journal.ts';
import { centredLine } from '../../src/receipt/line.ts';
import { ReceiptService } from '../../src/payment/terminal/receipt-service.ts';
import { Terminal } from '../../src/payment/terminal/terminal.ts';
import type { TipTerms } from '../../src/options/tip/offers.ts';
import { signatureOption } from '../../src/options/signature/option.ts';
import { tipOption } from '../../src/options/tip/option.ts';
import type { Merchants } from '../../src/payment/transaction/merchants.ts';
import type { AcquirerProfile } from '../../src/payment/transaction/acquirer-profile.ts';
import type { ApiParts } from '../../src/pos/api/call.ts';
import type { OperatorMenu } from '../../src/operator/menu.ts';
import type { OperatorPassword } from '../../src/operator/password.ts';
import { statusReport } from '../../src/observability/status.ts';
import { rules, timeouts, waits } from '../payment/terminal/stage.ts';
import { type CardAcquirerName, cardAcquirers } from './card-acquirers.ts';
import { securedSettings } from './line-security.ts';
import { noCounter } from '../support/no-counter.ts';
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
import { ReadingTurns } from '../../src/payment/terminal/reading-turns.ts';

export const walletId = acquirerId('QR');
export const octopusId = acquirerId('OCTOPUS');

const cardBrands = { EDC: ['VISA', 'MASTER', 'AMEX', 'JCB'], CUP: ['UNIONPAY'], EPS: ['EPS'] } as const;
const walletProfile: AcquirerProfile = {
  id: walletId,
  brands: ['ALIPAY', 'WECHAT', 'UPI_QR', 'FPS'],
  limits: qfpayLimits,
  scanned: ['ALIPAY', 'WECHAT', 'UPI_QR'],
  presented: ['ALIPAY', 'WECHAT', 'FPS', 'UPI_QR'],
  lacking: { FPS: ['REFUND', 'VOID_SALE', 'VOID_REFUND'] },
};
export const connectTimeoutMs = 5_000;
/** Configured default. */
export const noRecordGraceMs = 60_000;

const walletSettings = {
  ...credentials,
  id: 'QR',
  protocol: 'qfpay',
  url: 'http://127.0.0.1',
  tid: '00000002',
  currencies: ['HKD'],
  amounts: {},
  queryLagMs: 60_000,
  connectTimeoutMs,
  replyTimeoutMs: 15_000,
} as unknown as WalletAcquirer;

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
  lists: { page: refuseCall, acquirers: refuseCall },
  reports: { read: refuseCall },
} satisfies Partial<ApiParts>;

/** The surroundings of the daemon's process. */
export interface Options {
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
  /** The merchants, in schedules with several. */
  readonly merchants: Merchants | undefined;
  /** Of the schedules that have one. */
  readonly cloud: Cloud | undefined;
  bytes(length: number): Uint8Array;
}

/** What a life has before its terminal. */
interface Begun {
  readonly counter: Counter;
  readonly journal: Journal;
  readonly progress: ProgressWatch;
  readonly receipts: ReceiptService;
  readonly opened: OpenParts;
  readonly methods: OpenedMethods;
  readonly onFailure: (error: unknown) => void;
}

/** One life of the daemon: the whole core as src/main/composition assembles it, on the simulated world. */
export class Daemon {
  readonly generation: Generation;
  readonly counter: Counter;
  readonly terminal: Terminal;
  readonly journal: Journal;
  readonly progress: ProgressWatch;
  readonly search: UnsettledSearch;
  readonly held: HeldAcquirers;
  readonly menu: OperatorMenu;
  /** Payments go before it. */
  readonly isPassedOver: (id: TerminalTransactionId) => boolean;
  /** Recovery is over: requests are accepted. */
  listening = false;
  readonly #parts: ApiParts;
  readonly #stopping: () => Promise<void>;
  readonly #opened: OpenParts;
  #startDaily: () => void = () => undefined;
  #startRelease: () => void = () => undefined;
  #startCloud: (() => Promise<void>) | undefined;

  /** The methods open their hosts first; no virtual time passes meanwhile. */
  static async open(generation: Generation, world: Options, held: HeldAcquirers): Promise<Daemon> {
    const { dice, log, disk, paper, rules: watch } = world;
    const progress = new ProgressWatch();
    const onDisk = disk.journal(generation);
    const journal = withWatch(progress, world.cloud?.watched(onDisk) ?? onDisk);
    const onFailure = (error: unknown) => {
      if (!generation.alive || error instanceof JournalError || error instanceof DeviceError) return;
      // Passed over on purpose: the operator has it.
      if (error instanceof UnsendableOrder && error.message.includes('from elsewhere')) return;
      watch.fault(`an error of the core itself: ${error instanceof Error ? error.stack : String(error)}`);
    };
    const opened = new OpenParts();
    const receipts = opened.add(
      new ReceiptService({
        journal,
        printer: paper.printer(generation),
        sheets: (each) => [[centredLine(each.paper === 'receipt' ? each.tree.record.id : each.settlement.id)]],
        onFailure,
      }),
    );
    const counter = new Counter(generation, dice, log, watch);
    const methods = await openMethods(
      configureMethods(paymentMethods, configurationOf(world)),
      {
        journal,
        clock: generation.clock,
        random: { bytes: (length: number) => world.bytes(length) },
        order: [...cardAcquirers, walletId],
        prints: true,
        reader: counter.reader,
        scanner: counter.scanner,
        octopus: world.octopus.reader(generation, counter.poll),
        openDrawer: async () => generation.does('drawer', () => log.push('drawer: open')),
        openHosts: hostsOf(generation, world, held),
        reports: {
          onThrough: () => receipts.wake(),
          onHeard: (what) =>
            what === 'paid after it was closed'
              ? log.counted('wallet order found paid at the later enquiry')
              : log.counted(what, 'host'),
          onSite: ({ acquirerId: id, site }) => log.counted('another site in use', `${id}: ${site}`),
          onLateAnswer: ({ acquirerId: id }) => log.counted('answer that nobody waits for', id),
          onRecognition: () => undefined,
          onFailure: (_part, error) => onFailure(error),
        },
      },
      opened,
    );
    return new Daemon(generation, world, held, { counter, journal, progress, receipts, opened, methods, onFailure });
  }

  private constructor(generation: Generation, world: Options, held: HeldAcquirers, begun: Begun) {
    const { counter, journal, progress, receipts, opened, methods: queues, onFailure } = begun;
    this.generation = generation;
    this.counter = counter;
    this.journal = journal;
    this.progress = progress;
    this.#opened = opened;
    this.search = new UnsettledSearch(journal);
    const { clock } = generation;
    const random = { bytes: (length: number) => world.bytes(length) };
    const { acquirers, forwarder, methods } = queues;
    const merchants = world.merchants ? { merchants: world.merchants } : {};
    const terminal = new Terminal({
      ...queues,
      journal,
      receipts,
      screen: counter.screen,
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
      ...merchants,
      onFailure,
    });
    this.terminal = terminal;
    this.held = held;
    const noted = { info: () => undefined, failure: (_part: string, error: unknown) => onFailure(error) };
    const release = { held, inUse: world.terms, journal, terminal, progress: this.progress, clock, log: noted };
    this.#startRelease = () => openRelease(release, this.#opened);
    const isUnsendable = (id: TerminalTransactionId) => forwarder.isUnsendable(id);
    this.isPassedOver = (id) => isUnsendable(id) || forwarder.isOpen(id);
    const reported = {
      terminal,
      clock: { state: 'ok' as const },
      reader: counter.reader,
      acquirers,
      journal,
      isUnsendable,
    };
    this.#parts = {
      ...uncalled,
      waiting: new WaitingCalls(),
      pictures: new ReadingTurns(),
      counter: noCounter,
      terminal,
      capabilities: {
        profiles: [...acquirers.values()].map(({ profile }) => profile),
        modes: methods.modes,
        options,
        ...merchants,
      },
      shop,
      // No till here prints.
      reprints: { fault: undefined, slip: () => [] } as unknown as ApiParts['reprints'],
      answerFor: () => ({ shape: 'A', printedBy: 'terminal' }),
      collectTimes: { usualMs: timeouts.collectMs, leastMs: timeouts.collectMs, mostMs: timeouts.collectMs },
      status: () => statusReport(reported),
    };
    this.menu = makeMenu(this.#parts, {
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
      generation.isStopping = true;
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
    this.generation.receives(stopMs, () => this.generation.cut('killed, it did not stop'));
  }

  /**
   * The end of the process when the journal is broken: devices are released, and the next start reads what is there.
   */
  #fails(): void {
    this.listening = false;
    const ends = () => this.generation.cut('the journal is broken');
    void this.#stopping().then(ends, ends);
    this.generation.receives(failedStopMs, ends);
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

/** What the methods read of the configuration. */
function configurationOf({ terms }: Options): MethodConfiguration {
  return {
    acquirers: [...terms.configuration.acquirers, walletSettings],
    wallets: {},
    methods: [],
    cash: true,
    timeouts: { ...waits, noRecordGraceMs } as MethodConfiguration['timeouts'],
  };
}

/** The hosts as the terminal opens them, on simulated lines, with profiles that leave out limits of a configuration. */
function hostsOf(
  generation: Generation,
  { lines, walletLine, log, merchants }: Options,
  held: HeldAcquirers,
): HostOpener {
  const openHeld = hostOpener(held);
  for (const { id } of held.all) log.counted('acquirer held', id);
  held.onChange(() => log.counted('acquirer released'));
  const simulated: Readonly<Record<string, { readonly profile: AcquirerProfile; readonly dial: unknown }>> = {
    ...Object.fromEntries(
      lines.map((line) => {
        const name = line.host.id as CardAcquirerName;
        const brands = merchants && name === 'EDC' ? [...cardBrands.EDC, ...cardBrands.CUP] : cardBrands[name];
        const profile: AcquirerProfile = { id: acquirerId(name), brands, limits: iso8583Limits };
        const sites = lines.filter(({ host }) => host.id === name).map((each) => each.dial(generation));
        // The second site of a host has port 2.
        const dial: Dial = (address, ...others) =>
          (sites[sites.length === 2 ? address.port - 1 : 0] ?? assert.fail(String(address.port)))(address, ...others);
        return [name, { profile, dial }];
      }),
    ),
    [walletId]: { profile: walletProfile, dial: walletLine.dial(generation) },
  };
  return (configured, protocol) =>
    openHeld(configured, {
      ...protocol,
      async open(settings) {
        const { profile, dial } = simulated[settings.id] ?? assert.fail(settings.id);
        const { partialApproval } = settings as { readonly partialApproval?: boolean };
        const parts = partialApproval ? { approvesParts: true as const } : {};
        const security = lines.find(({ host }) => host.id === settings.id)?.security;
        const id = settings.id as CardAcquirerName;
        const secured = security ? securedSettings(id, security.terms) : {};
        return { ...(await protocol.open({ ...settings, ...secured }, { dial })), profile: { ...profile, ...parts } };
      },
    });
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
