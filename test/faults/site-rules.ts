import type { Message } from '../../hw-sim/host/iso8583/message.ts';
import type { TerminalTransactionId } from '../../src/base/domain/identifiers.ts';
import type { Posting } from './card-books.ts';
import type { CardHost } from './card-host.ts';
import { type Disk, short } from './disk.ts';
import type { Ledger } from './ledger.ts';
import type { Log } from './log.ts';
import type { Operator } from './operator.ts';
import type { Rules } from './rules.ts';

/** The state that the rules examine. */
interface Environment {
  readonly hosts: readonly CardHost[];
  readonly disk: Disk;
  readonly ledger: Ledger;
  readonly log: Log;
  readonly rules: Rules;
  readonly operator: Operator;
  /** Whether the terminal's journal has the transaction of a posting, and an answer has shown it. */
  isKnown(posting: Posting): boolean;
}

/**
 * The rules if each site has its own books. Messages about a transaction go to the site that has it. Payments go to
 * another site only while nothing of the acquirer is queued or unsettled.
 */
export class SiteRules {
  readonly #world: Environment;
  /** By acquirer: the site of the last payment. */
  readonly #last = new Map<string, CardHost>();

  constructor(world: Environment) {
    this.#world = world;
  }

  /** Checks a message to a site. Called before the ledger records the site for its trace number. */
  leaves(host: CardHost, { mti, fields }: Message, owner: TerminalTransactionId | undefined): void {
    const stan = Number(fields.get(11));
    if (mti.startsWith('01') || mti.startsWith('02')) {
      const original = owner && this.#originalOf(owner);
      if (owner) this.#stays(host, owner, stan, `the message ${mti}`);
      if (original && isAbout(mti, fields)) this.#followsOriginal(host, original, `${mti} ${fields.get(3)}`);
      else this.#moves(host, mti);
    }
    if (mti.startsWith('04') && owner) this.#stays(host, owner, stan, 'the reversal');
    if (mti.startsWith('032') && owner) this.#stays(host, owner, Number(fields.get(60)?.slice(4)), 'the upload');
    if (mti === '0500') this.#settles(host, fields);
  }

  /** All messages with one trace number of a transaction go to one site. */
  #stays(host: CardHost, owner: TerminalTransactionId, stan: number, what: string): void {
    const before = this.#world.ledger.siteOf(host.id, stan, owner);
    if (before && before !== host)
      this.#fault(`${what} of trace ${stan} of ${short(owner)} goes to ${host.label}, and it is at ${before.label}`);
  }

  #followsOriginal(host: CardHost, original: TerminalTransactionId, what: string): void {
    const { hosts, log } = this.#world;
    const sites = hosts.filter(
      ({ id, books }) => id === host.id && books.postings.some((each) => each.owner === original),
    );
    if (sites.length === 0) return;
    log.counted('message about a payment, with separate books', host.label);
    if (!sites.includes(host))
      this.#fault(`${what} about ${short(original)} goes to ${host.label}, which does not have it`);
  }

  #moves(host: CardHost, mti: string): void {
    const { hosts, disk, ledger, log, rules } = this.#world;
    if (mti.startsWith('022')) return;
    const before = this.#last.get(host.id);
    this.#last.set(host.id, host);
    if (before && before !== host) log.counted('payment at another site, with separate books', host.label);
    for (const other of hosts) {
      if (other === host || other.id !== host.id) continue;
      const open = other.books.open().filter((each) => this.#isUnsettled(each));
      const queued = disk.store
        .pending()
        .filter(({ acquirerId: at, id }) => at === host.id && !rules.isPassedOver(id))
        .filter(({ id }) => ledger.sitesOf(host.id, id).includes(other));
      if (open.length + queued.length > 0)
        this.#fault(
          `a payment goes to ${host.label}, and ${other.label} has ${open.length} unsettled and ${queued.length} queued`,
        );
    }
  }

  /** A settlement goes to the site that has the payments that it settles. */
  #settles(host: CardHost, fields: Message['fields']): void {
    const { hosts } = this.#world;
    const has = ({ books }: CardHost) =>
      books.open(fields.get(49), fields.get(41)).some((each) => this.#isUnsettled(each));
    if (has(host) || /^0*$/.test(fields.get(63) ?? '')) return;
    const other = hosts.find((each) => each.id === host.id && each !== host && has(each));
    if (other) this.#fault(`a settlement goes to ${host.label}, and what it settles is at ${other.label}`);
  }

  /** Whether the terminal must count this posting as unsettled. */
  #isUnsettled(posting: Posting): boolean {
    const { operator } = this.#world;
    const { owner, isReconsidered } = posting;
    return this.#world.isKnown(posting) && !isReconsidered && owner !== undefined && !operator.decided.has(owner);
  }

  #originalOf(owner: TerminalTransactionId): TerminalTransactionId | undefined {
    const { disk } = this.#world;
    if (disk.store.read(owner).length === 0) return undefined;
    return disk.record(owner).request.originalId;
  }

  #fault(what: string): void {
    this.#world.rules.fault(`I9: ${what}`);
  }
}

/** Whether a message refers to an earlier posting of its host: a void, a completion or a tip. A refund does not. */
function isAbout(mti: string, fields: Message['fields']): boolean {
  return mti.startsWith('022') || ['020000', '220000'].includes(fields.get(3) ?? '');
}
