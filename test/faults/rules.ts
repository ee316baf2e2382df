import type { Message } from '../../hw-sim/host/iso8583/message.ts';
import type { Amount } from '../../src/base/domain/amount.ts';
import { acquirerId, type AcquirerId, type TerminalTransactionId } from '../../src/base/domain/identifiers.ts';
import type { CardHost } from './card-host.ts';
import { type Disk, intentKey, short } from './disk.ts';
import type { WalletEntry } from './wallet/orders.ts';
import type { Ledger } from './ledger.ts';
import type { Log } from './log.ts';
import type { Wanted } from './pos-call.ts';
import { askedOf, type PosAnswer, totalOf } from './pos-answer.ts';

/** Kinds that the terminal decides and the host hears of afterwards: it may reject them. */
const advices = ['OFFLINE_SALE', 'AUTH_COMP', 'TIP_ADJUST'];

/** Invariants that hold at every moment of a schedule: I1, I2, I3 when messages leave, I5 when the POS is answered. */
export class Rules {
  readonly faults: string[] = [];
  /** The terminal lets payments go before it, and says so. */
  isPassedOver: (id: TerminalTransactionId) => boolean = () => false;
  readonly #disk: Disk;
  readonly #ledger: Ledger;
  readonly #log: Log;
  readonly #reversed = new Set<string>();
  readonly #advised = new Set<string>();
  readonly #uploaded = new Set<string>();
  readonly #refusedByCard = new Set<TerminalTransactionId>();
  /** What each customer chose on the screen. */
  readonly #chosen = new Map<TerminalTransactionId, bigint>();
  readonly #reported = new Map<TerminalTransactionId, string>();
  /** Reported with an open outcome, which an enquiry reports once it is known. */
  readonly #reportedOpen = new Set<TerminalTransactionId>();
  #isLost = false;

  constructor(disk: Disk, ledger: Ledger, log: Log) {
    this.#disk = disk;
    this.#ledger = ledger;
    this.#log = log;
  }

  fault(text: string): void {
    // A repeated fault counts once.
    if (!this.faults.includes(text)) this.faults.push(text);
    this.#log.push(`!! ${text}`);
  }

  /** A message of this transaction leaves for a card host. */
  leaves({ id: host }: CardHost, { mti, fields }: Message): TerminalTransactionId | undefined {
    const stan = Number(fields.get(11));
    const id = acquirerId(host);
    const name = `${host} ${stan} ${fields.get(4)}`;
    switch (mti) {
      case '0100':
      case '0200':
        this.#nothingPending(id);
        return this.#intended(id, stan);
      case '0220':
      case '0221':
        this.#marked(this.#advised, name, mti === '0221', 'advice');
        return this.#intended(id, stan);
      case '0400':
      case '0401':
        this.#marked(this.#reversed, name, mti === '0401', 'reversal');
        return this.#intended(id, stan);
      case '0320':
      case '0321':
        this.#marked(this.#uploaded, `${host} ${stan}`, mti === '0321', 'upload');
        return this.#disk.intents.get(intentKey(id, Number(fields.get(60)?.slice(4))));
      default:
        return undefined;
    }
  }

  /** An order that can move money leaves for the wallet's service or the Octopus reader. */
  ordered(id: AcquirerId, call: string, name: string): void {
    const [, stan = ''] = name.split('-');
    this.#intended(id, Number(stan));
    if (call === 'payment') this.#nothingPending(id);
  }

  /** The card or the screen is told that the running transaction is approved. */
  approved(what: string): void {
    const id = this.#ledger.lastIntent;
    const outcome = id && this.#disk.record(id).hostOutcome?.kind;
    if (!id || outcome === 'approved' || outcome === 'offline') return;
    this.fault(`I2: ${what} hears of an approval of ${short(id)} that is not on the disk`);
  }

  /** Somebody hears of a payment: its acceptance is on the disk. */
  heard(what: string, id: TerminalTransactionId): void {
    if (this.#disk.store.read(id).length > 0) return;
    this.fault(`I2: ${what} hears of ${short(id)}, whose acceptance is not on the disk`);
  }

  /** The customer is shown a device that is armed for this transaction. */
  armed(id: TerminalTransactionId, { minor }: Amount): void {
    if (this.#disk.store.read(id).length === 0) return;
    const durable = this.#disk.record(id).amount.minor;
    if (durable !== minor)
      this.fault(`I2: the reader is armed with ${minor} for ${short(id)}, the disk has ${durable}`);
  }

  /** The customer has chosen a tip; undefined where the choice was not possible. */
  chose(id: TerminalTransactionId, tipMinor: bigint | undefined): void {
    if (tipMinor === undefined) this.#chosen.delete(id);
    else this.#chosen.set(id, tipMinor);
  }

  /** The POS receives the amounts of a request of its own. */
  reportAmounts(request: Wanted, report: PosAnswer): void {
    const { id, result, tipMinor, totalMinor } = report;
    if (totalMinor !== totalOf(request, report)) {
      this.fault(
        `I5: ${short(id)} is told a total of ${totalMinor}, of ${request.amount.minor} and a tip of ${tipMinor}`,
      );
    }
    if (report.requestedMinor !== undefined) {
      this.#log.counted(`reported in part: ${result}`);
      // A request without `allowPartial` never succeeds with a part. Only the bank can report a part, of an unknown
      // outcome.
      if ((request.allowPartial !== true && result === 'SUCCESS') || report.requestedMinor !== askedOf(request, report))
        this.fault(`I5: ${short(id)} is reported as a part of ${report.requestedMinor}, which nobody asked for`);
    }
    if (request.askTip !== true) return;
    const chosen = this.#chosen.get(id) ?? 0n;
    const isRight = tipMinor === chosen || (tipMinor === 0n && result !== 'SUCCESS');
    if (!isRight) this.fault(`I5: ${short(id)} is told a tip of ${tipMinor}, and the customer chose ${chosen}`);
    if (result === 'SUCCESS' && tipMinor > 0n) this.#log.counted('tip paid');
  }

  /** The chip gave no certificate for the running transaction. */
  cardRefused(): void {
    const id = this.#ledger.lastIntent;
    if (id) this.#refusedByCard.add(id);
  }

  /** The POS receives the end of a transaction. */
  noteEnd({ id, result, impact, type, status, matters }: PosAnswer): void {
    const before = this.#reported.get(id);
    const isSuccess = result === 'SUCCESS';
    const stands = this.#ledger.stands(id);
    if (before !== undefined && before !== result && before !== 'UNKNOWN') {
      const severe = isSuccess || before === 'SUCCESS';
      // If the host had the number already, only the bank knows what the host has.
      const rejected = before === 'SUCCESS' && advices.includes(type) && (!stands || result === 'UNKNOWN');
      // A transfer that arrives after its host has closed the order is final, and could not be seen earlier.
      const isLateTransfer = isSuccess && this.#ledger.orders(id).some(arrivedLate);
      // It was reported as open, and has become known.
      const isKnownLate = isSuccess && this.#reportedOpen.has(id) && !this.#refusedByCard.has(id);
      const isLate = isLateTransfer || isKnownLate;
      if (!rejected && !isLate && (severe || !this.#diskWasIll))
        this.fault(`I4: ${short(id)} was reported as ${before}, and then as ${result}`);
      if (isLate && status === 'APPROVED' && !matters.includes(`COUNTED_LATE ${id}`))
        this.fault(
          `I10: ${short(id)} was reported as ${before}, counts late, and nobody is to settle it with the customer`,
        );
    }
    this.#reported.set(id, result);
    if (!isSuccess && impact === 'UNKNOWN') this.#reportedOpen.add(id);
    if (!isSuccess && impact === 'NONE' && stands) {
      this.fault(`I5: ${short(id)} is told ${result} NONE, and money stands for it`);
    }
    if (!isSuccess) return;
    if (this.#refusedByCard.has(id)) this.fault(`I5: ${short(id)} is told SUCCESS, and its chip has refused it`);
    // A transaction of a lost journal may have been answered before the loss.
    const isThere = this.#disk.store.read(id).length > 0 || !this.#isLost;
    if (isThere && this.#disk.record(id).conclusion?.result !== 'SUCCESS') {
      this.fault(`I2: ${short(id)} is told SUCCESS, which is not on the disk`);
    }
  }

  /** A call about a transaction is refused, and says that nothing was charged. */
  refused(id: TerminalTransactionId, reason: string): void {
    if (this.#ledger.stands(id))
      this.fault(`I5: a call of ${short(id)} is refused with NONE (${reason}), and money stands for it`);
  }

  /** With a faulty disk an end that was not written may have been told, and a crash forgets it. */
  get #diskWasIll(): boolean {
    return ['disk failed', 'disk full', 'commit misreported', 'journal hangs'].some((name) =>
      this.#log.counts.has(name),
    );
  }

  /** One transaction at a time; one that a faulty disk left unfinished is recovered beside it. */
  accepted(unfinished: readonly TerminalTransactionId[]): void {
    if (unfinished.length > 1 && !this.#diskWasIll)
      this.fault(`I4: ${unfinished.map(short).join(' and ')} run at once`);
  }

  /** The journal is lost: earlier answers can't be checked against it. */
  lost(): void {
    this.#reported.clear();
    this.#isLost = true;
  }

  #intended(id: AcquirerId, stan: number): TerminalTransactionId | undefined {
    const owner = this.#disk.intents.get(intentKey(id, stan));
    if (!owner) this.fault(`I1: a message ${stan} leaves for ${id}, and its intent is not on the disk`);
    return owner;
  }

  #nothingPending(id: AcquirerId): void {
    const waiting = this.#disk.store
      .pending()
      .filter((each) => each.acquirerId === id && each.message === 'reversal' && !this.isPassedOver(each.id));
    if (waiting.length > 0) this.fault(`I3: a new request leaves for ${id} while a reversal waits`);
  }

  #marked(sent: Set<string>, name: string, isRepeat: boolean, what: string): void {
    if (sent.has(name) && !isRepeat) this.fault(`I3: the ${what} ${name} is repeated, and not marked as a repeat`);
    sent.add(name);
  }
}

function arrivedLate({ payType, unreported }: WalletEntry): boolean {
  return payType === '802001' && unreported === true;
}
