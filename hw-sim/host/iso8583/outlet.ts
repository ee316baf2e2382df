import type { AnsweredKind } from './acquirer.ts';
import { swapped } from './frame.ts';
import type { HostWire } from './host-wire.ts';
import type { Link } from './link.ts';
import type { Message } from './message.ts';
import { type HostMode, lateDelayMs } from './mode.ts';
import type { Numbers } from './numbers.ts';

/** An answer, and the TPDU of its request. */
export interface Reply {
  readonly kind: AnsweredKind;
  readonly tpdu: Buffer;
  readonly message: Message;
  /** The bytes of the request. */
  readonly request: Buffer;
}

/** Sends answers as the mode says. The books are already written. */
export class Outlet {
  readonly #numbers: () => Numbers;
  readonly #wire: HostWire;

  constructor(numbers: () => Numbers, wire: HostWire) {
    this.#numbers = numbers;
    this.#wire = wire;
  }

  /** Sends at once, in every mode. */
  send(link: Link, reply: Reply, wanted: HostMode, delayMs?: number): void {
    link.send(this.#answerFrame(reply, wanted), delayMs);
  }

  /** Sends as the mode says: at once, late, twice, damaged, or not at all. */
  deliver(link: Link, reply: Reply, wanted: HostMode): void {
    const { mode, delayMs, reversals = false } = wanted;
    const unanswered = reply.kind === 'reversal' && reversals;
    const struck = strikes(wanted, reply.kind);
    switch (mode) {
      case 'up':
        this.send(link, reply, wanted, delayMs);
        return;
      case 'down':
        return;
      case 'silent':
        if (!struck && !unanswered) this.send(link, reply, wanted);
        return;
      case 'late':
        if (!unanswered) this.send(link, reply, wanted, struck ? (delayMs ?? lateDelayMs) : 0);
        return;
      case 'garbage':
        if (struck) this.#sendGarbage(link, reply, wanted);
        else this.send(link, reply, wanted);
        return;
      case 'duplicate':
        link.send(Buffer.concat([this.#answerFrame(reply, wanted), this.#answerFrame(reply, wanted)]));
        return;
      case 'closeAfterRequest':
        if (struck) link.close();
        else this.send(link, reply, wanted);
        return;
      case 'overtaken':
        this.send(link, reply, wanted);
        return;
      default:
        mode satisfies never;
    }
  }

  /** Sends noise, or the true answer cut short: neither is a message, whatever the seed. */
  #sendGarbage(link: Link, reply: Reply, wanted: HostMode): void {
    link.send(this.#wire.frame(swapped(reply.tpdu), this.#garbage(this.#packed(reply, wanted))));
  }

  #answerFrame(reply: Reply, wanted: HostMode): Buffer {
    const frame = this.#wire.frame(swapped(reply.tpdu), this.#packed(reply, wanted));
    return wanted.keepAliveMs === undefined ? frame : Buffer.concat([this.#wire.emptyFrame, frame]);
  }

  #packed({ message, request }: Reply, wanted: HostMode): Buffer {
    return this.#wire.write(message, request, wanted);
  }

  #garbage(reply: Buffer): Buffer {
    const numbers = this.#numbers();
    if (numbers.below(2) === 0) return reply.subarray(0, 1 + numbers.below(reply.length - 1));
    // A nibble above 9 in the message type: no decoder can take it for a message.
    return Buffer.concat([Buffer.of(0xf0 + numbers.below(16)), numbers.bytes(20 + numbers.below(100))]);
  }
}

/** Whether the mode applies to answers of this kind. */
function strikes({ advices = false, settlement = false }: HostMode, kind: AnsweredKind): boolean {
  switch (kind) {
    case 'request':
      return true;
    case 'advice':
      return advices;
    case 'settlement':
      return settlement;
    case 'reversal':
    case 'other':
      return false;
    default:
      return kind satisfies never;
  }
}
