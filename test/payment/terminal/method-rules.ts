import type { Account } from '../../../src/base/domain/account.ts';
import type { StoredEvent } from '../../../src/payment/events/event.ts';
import type { ScreenView } from '../../../src/payment/contracts/screen.ts';
import type { Stage } from './stage.ts';

const devices = ['reader', 'scanner', 'octopus', 'pin pad'] as const;
export type WaitingDevice = (typeof devices)[number];

/** How a wait for the customer ends, besides 'failed'. */
const ends: Readonly<Record<WaitingDevice, readonly string[]>> = {
  reader: ['card', 'tryAgain', 'refused', 'timeout', 'cancelled', 'failed'],
  scanner: ['code', 'tryAgain', 'cancelled', 'failed'],
  octopus: ['card', 'tryAgain', 'refused', 'cancelled', 'failed'],
  'pin pad': ['pin', 'cancelled', 'timeout', 'failed'],
};

/** The customer's data in a message to a host or a reader. */
export interface Charge {
  readonly item: string;
  readonly pin?: string | undefined;
  readonly account?: Account | undefined;
}

/**
 * Invariants at every moment of one payment, whatever the merchant changes: one device armed at a time, none while a
 * code can be paid or a payment stands, and only the means that was presented last is charged. Faults are collected
 * and not thrown: to the terminal an error inside a device would be a device fault.
 */
export class MethodRules {
  readonly faults: string[] = [];
  readonly #stage: Stage;
  #armed: WaitingDevice | undefined;
  #cancelling = false;
  #slotTaken = false;
  #offered: string | undefined;
  /** The means that the customer presented last, unless a change made it void. */
  #given: string | undefined;
  #pin: string | undefined;
  #account: Account | undefined;
  #cashIsEnough = false;
  #chipRefused = false;
  #intents = 0;
  #sent = 0;
  #postedBefore = 0;

  constructor(stage: Stage) {
    this.#stage = stage;
    const { trace } = stage;
    const push = trace.push.bind(trace);
    trace.push = (event) => {
      push(event);
      this.#heard(event);
    };
  }

  begins(): void {
    this.#given = undefined;
    this.#chipRefused = false;
    this.#intents = 0;
    this.#sent = 0;
    this.#postedBefore = this.#postedEver;
  }

  /** Standing payments of this transaction at all hosts, cash included. */
  get posted(): number {
    return this.#postedEver - this.#postedBefore;
  }

  /** What waits for the customer. */
  get armed(): WaitingDevice | undefined {
    return this.#armed;
  }

  get cancelling(): boolean {
    return this.#cancelling;
  }

  get view(): ScreenView | undefined {
    return this.#stage.views.at(-1);
  }

  /** Called before the customer presents it. `inSlot`: a chip, which waits in its slot for the decision. */
  offers(item: string, inSlot = false): void {
    this.#offered = item;
    if (inSlot) this.#slotTaken = true;
  }

  chosen(account: Account): void {
    if (this.view?.scene === 'chooseAccount') this.#account = account;
  }

  /** `act`: the merchant presses the button. */
  tendered(isEnough: boolean, act: () => void): void {
    const isAsked = this.view?.scene === 'tenderCash';
    if (isAsked) this.#cashIsEnough = isEnough;
    act();
    if (isAsked && (this.view?.scene === 'tenderCash') === isEnough)
      this.#fault('cash that is enough goes on, and no other');
  }

  /** A message that can move money leaves the terminal. */
  charged({ item, pin, account }: Charge): void {
    this.#leaves(`the charge of ${item}`);
    if (item !== this.#given) this.#fault(`charged ${item}, given was ${this.#given ?? 'nothing'}`);
    if (pin !== this.#pin) this.#fault(`charged with PIN ${pin ?? 'none'}, entered was ${this.#pin ?? 'none'}`);
    if (account !== this.#account)
      this.#fault(`charged to ${account ?? 'none'}, chosen was ${this.#account ?? 'none'}`);
  }

  codeAsked(): void {
    this.#leaves('the order for a code');
  }

  ended(): void {
    if (this.#armed) this.#fault(`the ${this.#armed} is left armed`);
    if (this.#slotTaken) this.#fault('a chip is left waiting in its slot');
    if (this.view?.code !== undefined) this.#fault('a code is left on the screen');
  }

  #heard(event: string): void {
    const [who = '', what = ''] = event.split(': ');
    if (who === 'commit' && what.startsWith('intent')) this.#intents += 1;
    if (who === 'reader' && what.startsWith('complete ')) this.#completes();
    if (who === 'reader' && what.startsWith('completed ')) {
      this.#slotTaken = false;
      this.#chipRefused = what !== 'completed agreed';
    }
    if (event === 'screen: approved' && this.#chipRefused && this.#given) this.#fault('approved, and the chip refused');
    if (event === 'drawer: open') this.#cashTaken();
    // Anything presented earlier does not count for this wait.
    if (event === 'screen: tenderCash' || event === 'screen: presentCode') this.#given = undefined;
    const device = devices.find((each) => each === who);
    if (device) this.#device(device, what);
  }

  #device(device: WaitingDevice, what: string): void {
    if (what === 'armed') return this.#arms(device);
    if (what === 'cancelling') {
      this.#cancelling = this.#armed === device;
      this.#given = undefined;
      return;
    }
    if (!ends[device].includes(what)) return;
    if (this.#armed !== device) this.#fault(`the ${device} ends, and it was not armed`);
    if (what === 'pin' && !this.#cancelling) this.#pin = this.#offered;
    else if ((what === 'card' || what === 'code') && !this.#cancelling) this.#given = this.#offered;
    this.#armed = undefined;
    this.#cancelling = false;
  }

  #arms(device: WaitingDevice): void {
    if (this.#armed) this.#fault(`the ${device} is armed beside the ${this.#armed}`);
    if (this.#slotTaken && device !== 'pin pad') this.#fault(`the ${device} is armed while a chip waits in its slot`);
    this.#nothingStands(`the ${device} is armed`);
    if (this.view?.code !== undefined) this.#fault(`the ${device} is armed beside a code on the screen`);
    this.#armed = device;
    this.#cancelling = false;
    this.#pin = undefined;
    this.#cashIsEnough = false;
    if (device === 'pin pad') return;
    this.#chipRefused = false;
    this.#given = undefined;
    this.#account = undefined;
  }

  #completes(): void {
    if (!this.#slotTaken) this.#fault('a chip is told its decision that waits for none');
  }

  #cashTaken(): void {
    if (!this.#cashIsEnough) this.#fault('the till opens for cash that was not given');
    if (this.#armed) this.#fault(`the till opens beside an armed ${this.#armed}`);
    if (this.#stage.wallet.waiting.length > 0) this.#fault('the till opens while a code can be paid');
    if (this.posted > 1) this.#fault('the till opens while a payment stands');
  }

  #leaves(what: string): void {
    this.#sent += 1;
    if (this.#sent > this.#intents) this.#fault(`${what} leaves before its intent is durable`);
    if (this.#armed) this.#fault(`${what} leaves while the ${this.#armed} is armed`);
    this.#nothingStands(`${what} leaves`);
  }

  #nothingStands(when: string): void {
    const { waiting } = this.#stage.wallet;
    if (waiting.length > 0) this.#fault(`${when} while ${waiting.join()} can be paid`);
    if (this.posted > 0) this.#fault(`${when} while a payment stands`);
  }

  get #postedEver(): number {
    return this.#stage.posted + this.#stage.trace.count('drawer: open');
  }

  #fault(text: string): void {
    this.faults.push(text);
  }
}

/** Contradictions that a journal must not contain about one transaction. */
export function journalFaults(events: readonly StoredEvent['event'][]): string[] {
  const faults: string[] = [];
  let open = false;
  let queued = false;
  let ended = false;
  for (const event of events) {
    switch (event.kind) {
      case 'intent':
        if (open) faults.push('an intent while another is open');
        if (queued) faults.push('an intent after a reversal was queued');
        open = true;
        break;
      case 'withdrawn':
        if (!open) faults.push('withdrawn, and nothing was open');
        if (queued) faults.push('withdrawn after a reversal was queued');
        open = false;
        break;
      case 'answered':
        if (event.outcome.kind === 'declined' || event.outcome.kind === 'notSent') open = false;
        break;
      case 'reversalQueued':
        if (queued) faults.push('a reversal is queued twice');
        queued = true;
        break;
      case 'ended':
        // An attempt that was on its way when the outcome became known does not count.
        if (ended && !events.some(({ kind }) => kind === 'resolved')) faults.push('ended twice');
        if (event.result === 'SUCCESS' && !open) faults.push('approved without an intent');
        ended = true;
        break;
      default:
    }
  }
  return faults;
}
