import { acquirerId, type TerminalTransactionId } from '../../src/base/domain/identifiers.ts';
import type { Posting } from './card-books.ts';
import { short } from './disk.ts';
import type { Wanted } from './pos-call.ts';
import { listsRefunds, refundFaults, type PosAnswer, totalOf } from './pos-answer.ts';
import type { World } from './world.ts';

/** A request of a POS, and its final answer. */
export interface Settled {
  readonly request: Wanted;
  readonly answer: PosAnswer;
}

const numeric: Readonly<Record<string, string>> = { HKD: '344', CNY: '156', USD: '840', JPY: '392' };

/** What takes the money that an authorization holds: by UnionPay, and by the other cards. */
const completions: readonly string[] = ['AUTH_COMP', 'OFFLINE_SALE'];

/**
 * Compares, at the end, the answers to the POS with the books of all hosts, by the invariants of the design (I5, I6,
 * I7, I9), and without using the product's own calculations.
 */
export class Oracle {
  readonly #world: World;
  readonly #all: readonly Settled[];

  constructor(world: World, all: readonly Settled[]) {
    this.#world = world;
    this.#all = all;
  }

  faults(): string[] {
    const each = this.#all.flatMap((one) =>
      [...this.#moneyFaults(one), ...this.#referenceFaults(one), ...this.#merchantFaults(one)].map(
        (fault) => `${fault} (${one.request.messageId} ${one.answer.type} ${short(one.answer.id)})`,
      ),
    );
    return [...each, ...this.#harmed(), ...this.#unclaimed(), ...this.#undecided(), ...this.#settlementFaults()];
  }

  /** I5: SUCCESS is one posting, anything else none, and the operator has seen every unknown one. */
  #moneyFaults(one: Settled): string[] {
    const { result, impact, id, extra } = one.answer;
    if (extra.length > 0)
      this.#world.log.counted(result === 'SUCCESS' ? 'customer pays by two methods' : 'paid after the end');
    const { operator, paper } = this.#world;
    const faults: string[] = [];
    if (result === 'SUCCESS' && !paper.printed.has(id)) faults.push('a receipt was never printed');
    const stands = this.#statusOf(one);
    const decided = operator.decided.get(id) ?? this.#decidedUnmatchedOf(id);
    const isOpen = impact !== 'NONE' && impact !== 'REVERSED';
    if (result !== 'SUCCESS' && isOpen && decided === undefined && extra.length === 0) {
      faults.push(`I5: it is ${result} ${impact} for ever`);
    }
    // After a decision by the operator the bank's books count.
    if (operator.decided.get(id) === 'POSTED' && impact === 'UNKNOWN') return faults;
    const own = this.#expected(one);
    const paid = extra.map(({ minor, currency }) => `paid ${minor} ${currency}`);
    const expected = [...(own === 'nothing' && paid.length > 0 ? [] : [own]), ...paid].join(' and ');
    if (stands !== expected)
      faults.push(`I5: told ${result} ${impact}: expected ${expected}, the books have ${stands}`);
    return faults;
  }

  /**
   * All messages about a payment have the terminal id of the merchant that was paid. A void and a refund have that of
   * their original.
   */
  #merchantFaults({ request, answer: { id, merchantId } }: Settled): string[] {
    const { merchants, hosts, log } = this.#world;
    if (!merchants) return merchantId === '' ? [] : ['I5: a merchant is told, and there are none'];
    const wanted = this.#merchantOf(request);
    // The original may be in a lost journal.
    if (wanted === undefined) return [];
    if (request.originalId !== undefined) log.counted(`about a payment of ${wanted}`);
    const reported = merchantId === wanted ? [] : [`I5: it is told for ${merchantId}, and was for ${wanted}`];
    const elsewhere = hosts.filter((host) => {
      const merchant = merchants.ofAcquirer.get(acquirerId(host.id)) ?? wanted;
      const own = host.books.postings.filter(({ owner }) => owner === id);
      if (own.length > 0) log.counted(`posting of ${wanted} at ${host.id}`);
      return merchant !== wanted && own.length > 0;
    });
    return [...reported, ...elsewhere.map((host) => `I5: it was for ${wanted}, and has a posting at ${host.id}`)];
  }

  /** The merchant of the first transaction in its chain of references. */
  #merchantOf({ originalId, merchantId }: Wanted): string | undefined {
    if (originalId === undefined) return merchantId ?? this.#world.merchants?.all[0]?.id;
    const original = this.#all.find(({ answer }) => answer.id === originalId);
    return original && this.#merchantOf(original.request);
  }

  #expected({ request, answer }: Settled): string {
    if (answer.result !== 'SUCCESS') return 'nothing';
    const { currency } = request.amount;
    const minor = totalOf(request, answer);
    const { type, method } = answer;
    if (method === 'CASH') return 'nothing';
    if (method === 'OCTOPUS') return `deducted ${minor}`;
    if (type.startsWith('VOID') || type === 'TIP_ADJUST') return 'nothing';
    const later = this.#effective(answer.id);
    const voided = later.some((each) => each.answer.type.startsWith('VOID'));
    if (isWallet(method)) {
      if (type === 'REFUND') return voided ? 'nothing' : `refunded ${minor}`;
      const given = later.filter((each) => each.answer.type === 'REFUND' && !this.#isVoided(each));
      const net = voided ? 0n : given.reduce((left, each) => left - each.request.amount.minor, minor);
      return net === 0n ? 'nothing' : `paid ${net} ${currency}`;
    }
    const tipped = later.findLast((each) => each.answer.type === 'TIP_ADJUST')?.request.amount.minor ?? minor;
    const completed = later.some((each) => completions.includes(each.answer.type) && !this.#isVoided(each));
    const status = voided ? 'VOIDED' : completed ? 'COMPLETED' : 'POSTED';
    return `${status} ${tipped} ${numeric[currency]}`;
  }

  #statusOf({ request, answer }: Settled): string {
    const { ledger } = this.#world;
    const { id, type, result } = answer;
    // The void of a wallet payment is a refund at its host: it counts with the payment that it takes back.
    const isWalletVoid = type.startsWith('VOID') && result === 'SUCCESS';
    const parts = [
      ...this.#ownPostings(id).map(({ status, amountMinor, currency }) => `${status} ${amountMinor} ${currency}`),
      ...ledger
        .orders(id)
        .filter((entry) => ledger.netMinor(entry) > 0n)
        .map((entry) => `paid ${ledger.netMinor(entry)} ${entry.currency}`),
      ...(isWalletVoid ? [] : ledger.refunds(id).filter(({ state }) => state === 'paid')).map(
        ({ amountMinor }) => `refunded ${amountMinor}`,
      ),
      ...ledger.deductions(id).map((minor) => `deducted ${minor}`),
    ];
    if (request.amount.currency !== 'HKD' && answer.method === 'OCTOPUS') parts.push('in another currency');
    return parts.length === 0 ? 'nothing' : parts.join(' and ');
  }

  /** I6, by the hosts' books: nothing is refunded, tipped or completed twice, or above its original. */
  #referenceFaults(one: Settled): string[] {
    const later = this.#effective(one.answer.id);
    const count = (type: string) =>
      later.filter((each) => each.answer.type.startsWith(type) && !this.#isVoided(each)).length;
    const faults: string[] = [];
    const refunded = later
      .filter((each) => each.answer.type === 'REFUND' && !this.#isVoided(each))
      .reduce((sum, each) => sum + each.request.amount.minor, 0n);
    const has = this.#hasMinor(one);
    if (refunded > has && !listsRefunds(one.answer, later, has)) {
      faults.push(`I6: ${refunded} is refunded, the host has ${has}`);
    }
    faults.push(...refundFaults(one.answer, refunded, has));
    if (refunded > 0n) this.#world.log.counted(`told ${one.answer.status}`);
    if (count('VOID') > 1) faults.push('I6: it is voided twice');
    if (count('TIP_ADJUST') > 1) faults.push('I6: its tip is adjusted twice');
    if (count('AUTH_COMP') + count('OFFLINE_SALE') > 1) faults.push('I6: it is completed twice');
    if (count('VOID') > 0 && completions.some((type) => count(type) > 0))
      faults.push('I6: it is released and completed');
    if (count('VOID') > 0 && refunded > 0n) faults.push('I6: it is voided and refunded');
    if (later.length > 0 && one.answer.result !== 'SUCCESS' && !this.#world.operator.decided.has(one.answer.id)) {
      faults.push('I6: something refers to what was not approved');
    }
    return faults;
  }

  /** The host's amount of a payment, without refunds. */
  #hasMinor({ answer: { id, method } }: Settled): bigint {
    const { ledger } = this.#world;
    if (isWallet(method))
      return ledger.orders(id).reduce((sum, { state, amountMinor }) => sum + (state === 'paid' ? amountMinor : 0n), 0n);
    return this.#ownPostings(id)
      .filter(({ status }) => status === 'POSTED')
      .reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
  }

  /** The postings that a transaction's answer must account for. */
  #ownPostings(id: TerminalTransactionId): Posting[] {
    return this.#world.ledger
      .postings(id)
      .filter((posting) => isReported(posting) && !this.#isDecidedUnmatched(posting));
  }

  /** I12: transactions from before the loss of the journal stand as they did. */
  #harmed(): string[] {
    return this.#world.before.flatMap(({ answer: { id, type }, stands }) => {
      const now = this.#world.ledger.whatStands(id);
      return now === stands
        ? []
        : [`I12: ${type} ${short(id)} of before the journal was lost was ${stands}, and is ${now}`];
    });
  }

  /** Postings of a transaction that no POS can learn of. */
  #unclaimed(): string[] {
    const { ledger, disk } = this.#world;
    const answer = new Set(this.#all.map(({ answer: { id } }) => id));
    return disk.transactions
      .filter((id) => !answer.has(id) && (ledger.stands(id) || ledger.postings(id).some(isReported)))
      .map((id) => `I5: money stands for ${short(id)}, and no POS can learn of it`);
  }

  /** The operator has decided on every rejected advice. */
  #undecided(): string[] {
    const { hosts, disk, operator } = this.#world;
    return hosts
      .flatMap(({ books }) => [...books.rejected])
      .filter((id) => disk.transactions.includes(id) && !operator.decided.has(id))
      .map((id) => `I10: ${short(id)} was rejected by its host, and nobody has decided on it`);
  }

  /** I9: every posting is in one settled batch. */
  #settlementFaults(): string[] {
    const { hosts, ledger } = this.#world;
    return hosts.flatMap((host) => {
      const { id, books } = host;
      const { never } = host.manners;
      const counted = books.postings.filter(
        (each) => each.settled.length > 1 && !each.isCopied && !ledger.isCountedByChance(host, each),
      );
      const settles = never.settlement === undefined && never.upload === undefined;
      const open = settles
        ? books
            .open()
            .filter((each) => this.#world.isKnown(each) && !each.isTipDoubted && !this.#isDecidedUnmatched(each))
        : [];
      const { store } = this.#world.disk;
      const waiting = settles ? store.settlingBatches(acquirerId(id)).map(({ batch }) => batch) : [];
      return [
        ...waiting.map((batch) => `I9: batch ${batch} waits for ${id}, and nobody decides on it`),
        ...counted.map(
          (posting) => `I9: ${named(posting)} at ${id} is in the batches ${posting.settled.join(' and ')}`,
        ),
        ...open.map((posting) => `I9: ${named(posting)} at ${id} is in no settlement`),
      ];
    });
  }

  #effective(id: TerminalTransactionId): Settled[] {
    const { decided } = this.#world.operator;
    return this.#all.filter(
      ({ request, answer }) =>
        request.originalId === id &&
        // A later answer of the host overrides the bank's answer, and the POS is told of it.
        (answer.result === 'SUCCESS' || (decided.get(answer.id) === 'POSTED' && answer.impact === 'UNKNOWN')),
    );
  }

  /** What the operator has decided of a late approved try of this transaction. */
  #decidedUnmatchedOf(owner: TerminalTransactionId): 'POSTED' | 'NOT_POSTED' | undefined {
    const { disk, operator } = this.#world;
    const isOf = (id: TerminalTransactionId) => {
      const { request } = disk.record(id);
      return request.isStray === true && request.originalId === owner;
    };
    return [...operator.decided].find(([id]) => disk.store.read(id).length > 0 && isOf(id))?.[1];
  }

  /**
   * Whether the operator has confirmed, with the bank's word, a late approved try that its host refuses to reverse.
   */
  #isDecidedUnmatched({ owner, stan }: Posting): boolean {
    const { disk, operator } = this.#world;
    return [...operator.decided].some(([id, outcome]) => {
      if (outcome !== 'POSTED' || disk.store.read(id).length === 0) return false;
      const { request, intent } = disk.record(id);
      return request.isStray === true && request.originalId === owner && intent?.trace.stan === stan;
    });
  }

  #isVoided({ answer: { id } }: Settled): boolean {
    return this.#effective(id).some(({ answer }) => answer.type.startsWith('VOID'));
  }
}

/** Whether a posting counts: not if it is reversed, and not if only a lost answer could show it. */
function isReported({ status, unreported }: Posting): boolean {
  return status !== 'REVERSED' && !unreported;
}

function isWallet(method: string): boolean {
  return ['ALIPAY', 'WECHAT', 'FPS', 'UPI_QR'].includes(method);
}

function named({ kind, stan, amountMinor, currency, owner }: Posting): string {
  return `the ${kind} trace ${stan} of ${amountMinor} in ${currency}${owner ? ` (${short(owner)})` : ''}`;
}
