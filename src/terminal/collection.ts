import type { CollectMode } from '../domain/entry-mode.ts';
import { authenticationMethod } from '../emv/cvm.ts';
import type { CardInterface, CollectOutcome, PresentedCard } from '../ports/card-reader.ts';
import { DeviceError } from '../ports/device.ts';
import type { PinOutcome } from '../ports/pin-pad.ts';
import { walletOfCode } from '../qr/wallet-code.ts';
import type { CardCollected, CodeCollected, OctopusCollected } from '../transaction/machine.ts';
import type { Collected } from '../method/collected.ts';
import type { Order } from '../method/order.ts';
import type { TerminalParts } from './parts.ts';

type Devices = Pick<TerminalParts, 'reader' | 'scanner' | 'octopus' | 'timeouts' | 'onFailure'>;

/**
 * The devices while one payment is collected. One of them is armed at a time; what it gives is kept in `collected`, and
 * forgotten with `disarmed`, before another is armed.
 */
export class Collection {
  readonly #order: Order;
  readonly #devices: Devices;
  readonly #collected: Collected;
  #armed: Promise<unknown> = Promise.resolve();

  constructor(order: Order, devices: Devices, collected: Collected) {
    this.#order = order;
    this.#devices = devices;
    this.#collected = collected;
  }

  /** Settles once no device waits for anything any more, and what was collected is forgotten. Never rejects. */
  async disarmed(): Promise<void> {
    await this.#armed.catch(() => undefined);
    await this.forget();
  }

  /** A card, by any interface that the mode allows. With no mode the merchant chooses meanwhile, and a card is one choice. */
  async card(mode: CollectMode | undefined, signal: AbortSignal): Promise<CardCollected> {
    const { reader, timeouts } = this.#devices;
    if (mode === undefined && !this.#order.collects.modes.includes('CARD')) return aborted(signal);
    const { amount, kind } = this.#order;
    const type = kind === 'REFUND' ? 'refund' : 'purchase';
    const interfaces = this.interfaces(mode);
    const outcome = await this.#arm(
      reader.collect({ amount, type, timeoutMs: timeouts.collectMs, interfaces }, signal),
    );
    if (outcome.kind === 'card') return this.#presented(outcome, mode);
    if (outcome.kind === 'refused' && outcome.reason === 'over-limit' && mayInsertInstead(interfaces)) {
      this.#collected.wantChip();
      return { kind: 'tryAgain', reason: 'use-chip' };
    }
    return outcome;
  }

  /** What a card may be held to. For EPS a magstripe: what its chip would say is not public (fixtures/README.md). */
  interfaces(mode: CollectMode | undefined): readonly CardInterface[] {
    const { interfaces = ['contactless'] } = this.#devices.reader;
    if (mode === 'EPS') return interfaces.filter((each) => each === 'magstripe');
    return this.#collected.chipWanted ? interfaces.filter((each) => each !== 'contactless') : interfaces;
  }

  /** A chip is in its slot and waits for the host. */
  get holdsCard(): boolean {
    return this.#collected.card?.awaitsDecision === true;
  }

  /** A chip has nothing more to say, and may be taken out before the host has answered. */
  get releasesCard(): boolean {
    const { card } = this.#collected;
    return card?.entryMode === 'CHIP' && card.awaitsDecision !== true;
  }

  async pin(again: boolean, signal: AbortSignal): Promise<PinOutcome> {
    const { reader, timeouts } = this.#devices;
    if (!reader.pinPad) throw new DeviceError('absent', 'the reader has no PIN pad');
    const { amount } = this.#order;
    const outcome = await this.#arm(reader.pinPad.enterPin({ amount, timeoutMs: timeouts.pinMs, again }, signal));
    if (outcome.kind === 'pin') this.#collected.enter(outcome.pin);
    return outcome;
  }

  async code(signal: AbortSignal): Promise<CodeCollected> {
    const { scanner } = this.#devices;
    if (!scanner) throw new DeviceError('absent', 'this terminal has no scanner');
    const outcome = await this.#arm(scanner.scan(signal));
    if (outcome.kind !== 'code') return { kind: outcome.kind === 'cancelled' ? 'cancelled' : 'notACode' };
    const scheme = walletOfCode(outcome.text);
    if (!scheme) return { kind: 'notACode' };
    this.#collected.code = { scheme, text: outcome.text };
    return { kind: 'code' };
  }

  async octopusCard(signal: AbortSignal): Promise<OctopusCollected> {
    const { octopus } = this.#devices;
    if (!octopus) throw new DeviceError('absent', 'this terminal has no Octopus reader');
    const outcome = await this.#arm(octopus.poll(signal));
    if (outcome.kind === 'card') this.#collected.octopus = outcome.card;
    if (outcome.kind === 'refused') return { kind: 'refused', code: outcome.code };
    return { kind: outcome.kind };
  }

  /** Cash, counted by the merchant. False where it is not enough. */
  tendered(minor: bigint): boolean {
    if (minor < this.#order.amount.minor) return false;
    this.#collected.tenderedMinor = minor;
    return true;
  }

  /** Forgets what was collected, lets a card go that waits in its slot, and tells a reader what it shall show. Never rejects. */
  async forget(): Promise<void> {
    const { reader, onFailure } = this.#devices;
    const { card, decision = { kind: 'unreachable' } } = this.#collected;
    this.#collected.forget();
    const told = card?.awaitsOutcome ? reader.show?.(decision) : card?.awaitsDecision && reader.complete?.(decision);
    if (told) await told.catch((error: unknown) => onFailure?.(error));
  }

  #presented({ card }: Extract<CollectOutcome, { kind: 'card' }>, mode: CollectMode | undefined): CardCollected {
    this.#collected.card = card;
    if (mode === 'EPS') return { kind: 'card', asks: 'account' };
    return { kind: 'card', asks: this.#asksPin(card) ? 'pin' : 'nothing' };
  }

  #asksPin({ emv }: PresentedCard): boolean {
    return this.#devices.reader.pinPad !== undefined && authenticationMethod(emv) === 'ONLINE_PIN';
  }

  #arm<Outcome>(armed: Promise<Outcome>): Promise<Outcome> {
    this.#armed = armed;
    return armed;
  }
}

/** The limit is that of the antenna: through its contacts the same card may pay. */
function mayInsertInstead(interfaces: readonly CardInterface[]): boolean {
  return interfaces.includes('contactless') && interfaces.includes('chip');
}

function aborted(signal: AbortSignal): Promise<{ kind: 'cancelled' }> {
  return new Promise((resolve) => {
    const done = () => resolve({ kind: 'cancelled' });
    if (signal.aborted) done();
    else signal.addEventListener('abort', done, { once: true });
  });
}
