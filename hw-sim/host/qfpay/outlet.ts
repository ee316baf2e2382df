import type { ServerResponse } from 'node:http';
import type { Numbers } from '../iso8583/numbers.ts';
import { lateDelayMs, type QfpayHostMode } from './mode.ts';

/** The kinds that a mode distinguishes: money is payments and refunds, ending is reversals and closes. */
export type AnsweredKind = 'money' | 'enquiry' | 'ending';

export interface Reply {
  readonly kind: AnsweredKind;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Called when the answer is written undamaged. */
  onSent?(): void;
}

/** Sends answers as the mode says. The books are already written. */
export class Outlet {
  readonly #numbers: Numbers;
  readonly #waiting = new Set<NodeJS.Timeout>();

  constructor(numbers: Numbers) {
    this.#numbers = numbers;
  }

  deliver(response: ServerResponse, reply: Reply, wanted: QfpayHostMode): void {
    const { mode, delayMs, reversals = false } = wanted;
    const struck = strikes(wanted, reply.kind);
    const unanswered = reply.kind === 'ending' && reversals;
    switch (mode) {
      case 'up':
        this.#send(response, reply, delayMs);
        return;
      case 'down':
        return;
      case 'silent':
        if (!struck && !unanswered) this.#send(response, reply);
        return;
      case 'late':
        if (!unanswered) this.#send(response, reply, struck ? (delayMs ?? lateDelayMs) : 0);
        return;
      case 'garbage':
        if (struck) this.#sendGarbage(response, reply);
        else this.#send(response, reply);
        return;
      case 'duplicate':
        this.#sendTwice(response, reply);
        return;
      case 'closeAfterRequest':
        if (struck) response.destroy();
        else this.#send(response, reply);
        return;
      default:
        mode satisfies never;
    }
  }

  /** Drops delayed answers. */
  dropWaiting(): void {
    for (const timer of this.#waiting) clearTimeout(timer);
    this.#waiting.clear();
  }

  #send(response: ServerResponse, reply: Reply, delayMs = 0): void {
    if (delayMs === 0) {
      const gone = response.destroyed;
      write(response, 200, reply.body, reply.headers);
      if (!gone) reply.onSent?.();
      return;
    }
    const timer = setTimeout(() => {
      this.#waiting.delete(timer);
      if (!response.destroyed) this.#send(response, reply);
    }, delayMs);
    this.#waiting.add(timer);
    response.on('close', () => {
      clearTimeout(timer);
      this.#waiting.delete(timer);
    });
  }

  /** The second answer follows the first at once, on the same connection, without a request. */
  #sendTwice(response: ServerResponse, reply: Reply): void {
    const { socket } = response;
    response.on('finish', () => {
      if (socket?.writable === true) socket.write(onWire(reply));
    });
    this.#send(response, reply);
  }

  /**
   * None of these is an answer: cut JSON, JSON of something else, a proxy's page with a success, one with a failure,
   * noise.
   */
  #sendGarbage(response: ServerResponse, { body, headers }: Reply): void {
    const page = { 'content-type': 'text/html; charset=utf-8' };
    switch (this.#numbers.below(5)) {
      case 0:
        write(response, 200, body.slice(0, 1 + this.#numbers.below(body.length - 1)), headers);
        return;
      case 1:
        write(response, 200, '["not this"]', { 'content-type': headers['content-type'] ?? '' });
        return;
      case 2:
        write(response, 200, '<html><body>Please sign in</body></html>', page);
        return;
      case 3:
        write(response, 502, '<html><body>Bad gateway</body></html>', page);
        return;
      default: {
        // No status line begins with such a byte.
        const noise = Buffer.concat([Buffer.of(0xf0), this.#numbers.bytes(20 + this.#numbers.below(100))]);
        response.socket?.write(noise);
        response.socket?.end();
      }
    }
  }
}

/** Whether the mode applies to answers of this kind. */
function strikes({ enquiries = false }: QfpayHostMode, kind: AnsweredKind): boolean {
  switch (kind) {
    case 'money':
      return true;
    case 'enquiry':
      return enquiries;
    case 'ending':
      return false;
    default:
      return kind satisfies never;
  }
}

export function write(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>>,
): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

function onWire({ body, headers }: Reply): string {
  const lines = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body).toString() });
  return `HTTP/1.1 200 OK\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}
