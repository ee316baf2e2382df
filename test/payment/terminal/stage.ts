import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { wallets } from '../../support/wallets.ts';
import type { TransactionType } from '../../../src/base/domain/transaction-kind.ts';
import { type AcquirerId, acquirerId } from '../../../src/base/domain/identifiers.ts';
import type { ScreenAction, ScreenView } from '../../../src/payment/contracts/screen.ts';
import { resolveOctopus } from '../../../src/methods/octopus/authorize.ts';
import type { QueueNews } from '../../../src/payment/method/acquirer.ts';
import { StoreAndForward } from '../../../src/payment/terminal/store-and-forward.ts';
import type { ReceiptService } from '../../../src/payment/terminal/receipt-service.ts';
import type { PaymentRequest } from '../../../src/payment/terminal/request.ts';
import { conclusionForEnquiry } from '../../../src/payment/records/present.ts';
import type { EnquiryAnswer, PayAnswer } from '../../../src/payment/terminal/answers.ts';
import { noteReason } from '../../support/reported-reasons.ts';
import type { TerminalParts } from '../../../src/payment/terminal/parts.ts';
import { Terminal } from '../../../src/payment/terminal/terminal.ts';
import type { AcquirerProfile, OfflineLimits } from '../../../src/payment/transaction/acquirer-profile.ts';
import type { Merchants } from '../../../src/payment/transaction/merchants.ts';
import type { TransactionRecord } from '../../../src/payment/records/record.ts';
import type { TipTerms } from '../../../src/options/tip/offers.ts';
import { signatureOption } from '../../../src/options/signature/option.ts';
import { tipOption } from '../../../src/options/tip/option.ts';
import type { SaleOption } from '../../../src/payment/options/sale-option.ts';
import { writeEmptyJournal } from '../../journal/empty-journal.ts';
import { EquippedReader } from './equipped-reader.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { ScriptedHost } from './scripted-host.ts';
import { ScriptedOctopus } from './scripted-octopus.ts';
import { ScriptedPinPad } from './scripted-pin-pad.ts';
import { type aids, ScriptedReader } from './scripted-reader.ts';
import { ScriptedScanner } from './scripted-scanner.ts';
import { ScriptedWallet } from './scripted-wallet.ts';
import { type Acquirers, type AcquirerSource, makeAcquirers, openMethods } from './stage-methods.ts';
import { StoreJournal } from './store-journal.ts';
import { Trace } from './trace.ts';
import { octopusLimits, type OctopusReader } from '../../../src/base/ports/octopus-reader.ts';

export const rules = { completionTolerancePercent: 15, tipPercentMax: 20, tipNeedsSignature: false };
export const timeouts = {
  collectMs: 120_000,
  pinMs: 60_000,
  walletMs: 90_000,
  tipMs: 60_000,
  reversalWaitMs: 5_000,
  outcomeMs: 3_000,
};
/** FPS gives nothing back. */
const lacking = { FPS: ['REFUND', 'VOID_SALE', 'VOID_REFUND'] } as const;
export const waits = {
  walletPollMs: 2_000,
  walletResolveMs: 10_000,
  octopusIncompleteMs: 30_000,
  octopusSilentMs: 10_000,
  octopusRetryMs: 300,
};

/** Devices besides a contactless reader, and acquirers besides EDC and CUP. */
export interface Equipment {
  /** FPS refunds, too. */
  readonly allRefunds?: boolean;
  readonly scanner?: boolean;
  readonly octopus?: boolean;
  /** The reader has a chip's slot, a stripe and a PIN pad. */
  readonly pinPad?: boolean;
  readonly wallet?: boolean;
  readonly eps?: boolean;
  readonly cash?: boolean;
  /** Floor limits of EDC. */
  readonly offline?: OfflineLimits;
  readonly clockDoubt?: NonNullable<TerminalParts['clockDoubt']>;
  /** How long a customer may take to sign on the screen; absent: on paper. */
  readonly signatureMs?: number;
  /** No page shows the screen. */
  readonly isUnwatched?: boolean;
  /** What customers are offered when asked for a tip. */
  readonly tips?: TipTerms;
  readonly merchants?: Merchants;
  /** Further sale options. */
  readonly options?: readonly SaleOption[];
}

export const everything: Equipment = {
  scanner: true,
  octopus: true,
  pinPad: true,
  wallet: true,
  eps: true,
  cash: true,
};

/** An action of the page; by default it names the running transaction. */
export type PageAction = ScreenAction extends infer Each
  ? Each extends ScreenAction
    ? Omit<Each, 'transaction'> & { readonly transaction?: string }
    : never
  : never;

/** Notes what it refuses: nothing of that is in the journal. */
class NotedTerminal extends Terminal {
  override async pay(request: PaymentRequest): Promise<PayAnswer> {
    const answer = await super.pay(request);
    if (answer.kind === 'refused') noteReason(answer.refusal.reason);
    if (answer.kind === 'notReady') noteReason(answer.reason);
    return answer;
  }

  override async enquire(posId: string, messageId: string): Promise<EnquiryAnswer> {
    const answer = await super.enquire(posId, messageId);
    if (answer.kind === 'ended') noteReason(conclusionForEnquiry(answer.record).reason);
    return answer;
  }
}

/** One terminal whose surroundings the test controls, with a journal on a real file. */
export class Stage {
  readonly dir = mkdtempSync(path.join(tmpdir(), 'poid-terminal-'));
  readonly clock = new ManualClock();
  readonly trace = new Trace();
  readonly reader = new ScriptedReader(this.trace);
  readonly edc = new ScriptedHost('EDC', this.trace);
  readonly cup = new ScriptedHost('CUP', this.trace);
  readonly eps = new ScriptedHost('EPS', this.trace);
  readonly wallet = new ScriptedWallet('QR', this.trace);
  readonly scanner = new ScriptedScanner(this.trace);
  readonly octopus = new ScriptedOctopus(this.trace);
  readonly pinPad = new ScriptedPinPad(this.trace);
  /** The reader with a PIN pad, if the terminal has one. */
  readonly equipped = new EquippedReader(this.reader, this.pinPad, this.trace);
  readonly equipment: Equipment;
  readonly views: ScreenView[] = [];
  readonly failures: unknown[] = [];
  readonly news: QueueNews[] = [];
  receipts: ReceiptService | undefined;
  beforeSettlement: (id: AcquirerId) => Promise<void> = async () => undefined;
  journal: StoreJournal;
  acquirers: Acquirers;
  forwarder: StoreAndForward;
  terminal: Terminal;
  #identifiers = 0;
  #listener: (action: ScreenAction) => void = () => undefined;

  constructor(receipts?: ReceiptService, equipment: Equipment = {}) {
    this.receipts = receipts;
    this.equipment = equipment;
    writeEmptyJournal(this.#journalFile);
    this.journal = this.#openJournal();
    this.acquirers = this.#newAcquirers();
    this.forwarder = this.#newForwarder();
    this.terminal = this.#newTerminal();
  }

  get #journalFile(): string {
    return path.join(this.dir, 'journal.db');
  }

  /** Kills the process and starts it again on the file's contents, after `meanwhile` may have changed them. */
  async restart(meanwhile: () => void = () => undefined): Promise<void> {
    this.journal.store.close();
    meanwhile();
    this.journal = this.#openJournal();
    this.acquirers = this.#newAcquirers();
    this.forwarder = this.#newForwarder();
    this.terminal = this.#newTerminal();
    await this.terminal.recover();
  }

  close(): void {
    this.journal.store.close();
    rmSync(this.dir, { recursive: true });
  }

  /** Pays by a card that is tapped as soon as the reader is armed. */
  async paid(request: PaymentRequest = sale('M-1'), scheme: keyof typeof aids = 'visa'): Promise<PayAnswer> {
    const armed = this.trace.count('reader: armed') + 1;
    const answer = this.terminal.pay(request);
    await Promise.race([this.trace.seen('reader: armed', armed), answer]);
    if (this.trace.count('reader: armed') === armed) this.reader.present(scheme);
    const result = await answer;
    this.trace.push(`answer: ${result.kind}`);
    return result;
  }

  /** Presses a button of the page. */
  act(action: PageAction): void {
    const transaction = this.views.at(-1)?.transaction ?? '';
    this.#listener({ transaction, ...action });
  }

  /** Standing payments at the hosts, the wallet and on Octopus cards. */
  get posted(): number {
    const { edc, cup, eps, wallet, octopus } = this;
    return edc.posted + cup.posted + eps.posted + wallet.posted + octopus.deducted;
  }

  get profiles(): AcquirerProfile[] {
    return this.#sources().map(({ profile }) => profile);
  }

  #openJournal(): StoreJournal {
    return new StoreJournal(this.#journalFile, () => this.clock.now(), this.trace);
  }

  #sources(): readonly AcquirerSource[] {
    const { edc, cup, eps, wallet, octopus, equipment } = this;
    const { scanned, presented } = wallet;
    const offline = equipment.offline ? { offline: equipment.offline } : {};
    const sources: AcquirerSource[] = [
      { kind: 'card', profile: { id: edc.id, brands: ['VISA', 'MASTER', 'AMEX', 'JCB'], ...offline }, host: edc },
      { kind: 'card', profile: { id: cup.id, brands: ['UNIONPAY', 'VISA'] }, host: cup },
    ];
    if (equipment.eps) sources.push({ kind: 'card', profile: { id: eps.id, brands: ['EPS'] }, host: eps });
    if (equipment.wallet) {
      const brands = [...new Set([...scanned, ...presented])];
      const able = equipment.allRefunds ? {} : { lacking };
      sources.push({ kind: 'wallet', profile: { id: wallet.id, brands, scanned, presented, ...able }, host: wallet });
    }
    if (equipment.octopus) {
      const reader = {
        findOut: (record: TransactionRecord, printsReceipt: boolean) => resolveOctopus(record, octopus, printsReceipt),
        upload: () => octopus.upload(),
        alone: <T>(work: (find: ScriptedOctopus['find']) => Promise<T>) => work((...asked) => octopus.find(...asked)),
        onState: (listener: Parameters<OctopusReader['onState']>[0]) => octopus.onState(listener),
        stop: async () => undefined,
      };
      sources.push({ kind: 'octopus', profile: { id: octopusId, brands: ['OCTOPUS'], limits: octopusLimits }, reader });
    }
    if (equipment.cash) sources.push({ kind: 'cash', profile: { id: acquirerId('CASH'), brands: ['CASH'] } });
    return sources;
  }

  #newAcquirers(): Acquirers {
    const { journal, clock } = this;
    const onFailure = (error: unknown) => this.failures.push(error);
    return makeAcquirers(this.#sources(), { journal, clock, prints: this.receipts !== undefined, onFailure });
  }

  #newForwarder(): StoreAndForward {
    const { journal, clock } = this;
    return new StoreAndForward({
      journal,
      acquirers: this.acquirers.acquirers,
      clock,
      onThrough: (what) => this.news.push(what),
      onFailure: (error) => this.failures.push(error),
    });
  }

  #newTerminal(): Terminal {
    const { journal, acquirers, forwarder, clock, receipts, equipment, scanner, octopus } = this;
    return new NotedTerminal({
      journal,
      forwarder,
      acquirers: acquirers.acquirers,
      methods: openMethods({
        ...acquirers,
        reader: equipment.pinPad ? this.equipped : this.reader,
        profiles: wallets,
        scanner: equipment.scanner ? scanner : undefined,
        octopus: equipment.octopus ? octopus : undefined,
        openDrawer: async () => this.trace.push('drawer: open'),
        waits,
      }),
      ...(receipts ? { receipts } : {}),
      ...(equipment.clockDoubt ? { clockDoubt: equipment.clockDoubt } : {}),
      beforeSettlement: (id) => this.beforeSettlement(id),
      screen: {
        isWatched: equipment.isUnwatched !== true,
        show: (view) => {
          this.views.push(view);
          this.trace.push(`screen: ${view.scene}`);
        },
        onAction: (listener) => {
          this.#listener = listener;
          return () => undefined;
        },
      },
      currency: 'HKD',
      clock,
      random: this.random,
      rules,
      options: this.#options,
      ...(equipment.merchants ? { merchants: equipment.merchants } : {}),
      timeouts,
      onFailure: (error) => this.failures.push(error),
    });
  }

  get #options(): readonly SaleOption[] {
    const { tips, signatureMs, options = [] } = this.equipment;
    return [
      tipOption({ terms: tips, timeoutMs: timeouts.tipMs }),
      ...(signatureMs === undefined ? [] : [signatureOption({ timeoutMs: signatureMs })]),
      ...options,
    ];
  }

  readonly random = { bytes: (length: number) => this.#bytes(length) };

  /**
   * Counts instead of random bytes: the identifiers of a test are the same every time, in the order of their creation.
   */
  #bytes(length: number): Uint8Array {
    const bytes = Buffer.alloc(length);
    bytes.writeUInt32BE((this.#identifiers += 1));
    return bytes;
  }
}

const octopusId = acquirerId('OCTOPUS');

/** A SALE of 30.00 HKD. */
export function sale(messageId: string, fields: Partial<PaymentRequest> = {}): PaymentRequest {
  return {
    posId: 'POS-1',
    messageId,
    digest: `digest of ${messageId}`,
    type: 'SALE',
    amount: { minor: 3000n, currency: 'HKD' },
    shape: 'A',
    printedBy: 'terminal',
    ...fields,
  };
}

/** A request about an earlier transaction; by default of its whole amount. */
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
