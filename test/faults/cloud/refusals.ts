import type { CloudMessage } from '../../../src/payment/contracts/cloud-link.ts';
import { short } from '../disk.ts';
import { type CloudOptions, tillKey } from './till.ts';

interface Heard {
  readonly messageId: string;
  /** The journal had it when the call came. */
  readonly isKnown: boolean;
  readonly losses: number;
}

/**
 * What a till takes for "not done": a refusal of a call that was not looked at, or not carried out. It must not say that
 * nothing was charged of a payment that the terminal had when the call came, and that runs, or stands in a host's books.
 */
export class Refusals {
  readonly #world: CloudOptions;
  /** By correlation. */
  readonly #heard = new Map<string, Heard>();
  #losses = 0;

  constructor(world: CloudOptions) {
    this.#world = world;
  }

  /** The terminal's journal is lost. */
  forgets(): void {
    this.#losses += 1;
  }

  delivers({ payload, correlation = new Uint8Array() }: CloudMessage): void {
    const [, messageId = ''] = /"messageId":"([^"]*)"/.exec(Buffer.from(payload).toString()) ?? [];
    const isKnown = this.#idOf(messageId) !== undefined;
    this.#heard.set(Buffer.from(correlation).toString('hex'), { messageId, isKnown, losses: this.#losses });
  }

  /** The terminal answers a call. */
  answers({ payload, correlation = new Uint8Array() }: CloudMessage): void {
    const heard = this.#heard.get(Buffer.from(correlation).toString('hex'));
    const { financialImpact, reason, terminalTransactionId } = JSON.parse(Buffer.from(payload).toString());
    if (reason === 'tooManyCalls') this.#world.log.counted('cloud call refused: too many');
    const isRefusal = financialImpact === 'NONE' && terminalTransactionId === undefined;
    if (!heard?.isKnown || heard.losses !== this.#losses || !isRefusal) return;
    // Who has no key is told nothing that counts.
    if (reason === 'notPaired') return;
    const { disk, rules } = this.#world;
    const id = this.#idOf(heard.messageId);
    if (id === undefined) return;
    // A commit that the disk misreported has accepted it, and nothing was sent: then NONE is true, and must stay so
    // (rules.refused). A cancel finds a payment that has ended.
    const { conclusion, intent } = disk.record(id);
    const isMisreported = intent === undefined && ['journalUnavailable', 'endedBeforeCancel'].includes(reason);
    const runs = conclusion === undefined && !isMisreported;
    if (runs) rules.fault(`I5: ${short(id)} runs, and a call of it is refused with NONE (${reason})`);
    else rules.refused(id, String(reason));
  }

  #idOf(messageId: string) {
    return this.#world.disk.store.findIdentity(tillKey.posId, messageId).transaction;
  }
}
