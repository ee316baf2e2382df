import type { Dial } from '../../../src/hosts/qfpay/dial.ts';
import type { Dice } from '../dice.ts';
import type { Generation } from '../generation.ts';
import type { Log } from '../log.ts';
import type { VirtualTime } from '../virtual-time.ts';
import type { WalletServer } from './host.ts';
import { answerBytes, formOf, HttpReader, type HttpRequest } from './http.ts';
import { MemorySocket } from './socket.ts';

type Fate =
  | ('well' | 'lost' | 'closed' | 'late' | 'twice')
  | ('answer lost' | 'answer closed' | 'answer late' | 'answer cut' | 'gateway' | 'gateway after');

/** A request that leaves the terminal: its call and its order number. */
export type OnOrder = (call: string, tradeNo: string) => void;

/** The line from a terminal to the wallet host, request by request, over HTTP in memory. */
export class WalletLine {
  readonly server: WalletServer;
  /** Percentage of requests that fail on the wire. */
  trouble = 0;
  down = false;
  /** How long the network holds a request of this call; 0: not at all. */
  heldMs: (call: string) => number = () => 0;
  /** Whether a request that was held still arrives. */
  arrives: (tradeNo: string) => boolean = () => true;
  readonly #time: VirtualTime;
  readonly #dice: Dice;
  readonly #log: Log;
  readonly #onOrder: OnOrder;
  readonly #open = new Set<MemorySocket>();
  #underWay = 0;

  constructor(server: WalletServer, time: VirtualTime, dice: Dice, log: Log, onOrder: OnOrder) {
    this.server = server;
    this.#time = time;
    this.#dice = dice;
    this.#log = log;
    this.#onOrder = onOrder;
  }

  /** Whether nothing is on its way to the host. */
  get isQuiet(): boolean {
    return this.#underWay === 0;
  }

  /** Breaks every connection. */
  cut(): void {
    for (const socket of this.#open) socket.destroy();
  }

  dial(generation: Generation): Dial {
    return (_address, _clock, signal) => {
      const { promise, resolve } = Promise.withResolvers<MemorySocket | undefined>();
      const refused = this.down || this.#dice.odds(this.trouble / 4);
      generation.receives(this.#dice.between(1, 80), () => {
        if (refused || this.down || signal.aborted) return resolve(undefined);
        const reader = new HttpReader();
        const socket: MemorySocket = new MemorySocket((bytes) => {
          for (const request of reader.push(bytes)) {
            generation.does('QR message', () => this.#leaves(socket, request, generation));
          }
        });
        this.#open.add(socket);
        socket.once('close', () => this.#open.delete(socket));
        socket.on('error', () => undefined);
        resolve(socket);
      });
      return promise;
    };
  }

  #leaves(socket: MemorySocket, request: HttpRequest, generation: Generation): void {
    const call = request.path.split('/').at(-1) ?? '';
    const tradeNo = formOf(request.body).get('out_trade_no') ?? '';
    this.#log.push(`terminal -> QR: ${call} ${tradeNo.slice(10)} ${formOf(request.body).get('txamt') ?? ''}`);
    if (call !== 'query') this.#onOrder(call, tradeNo);
    const heldMs = this.heldMs(call);
    if (heldMs > 0) return this.#holds(request, tradeNo, heldMs);
    const fate = this.#fate();
    if (fate === 'lost') return;
    if (fate === 'closed') this.#closes(socket);
    if (fate === 'closed' && this.#dice.odds(50)) return;
    if (fate === 'gateway') return this.#says(socket, generation, 502, this.#dice.between(5, 2_000));
    const leftMs = this.#time.elapsedMs;
    const inMs = fate === 'late' ? this.#dice.between(12_000, 60_000) : this.#dice.between(5, 400);
    // A device on the network repeats it, because there was no answer.
    const times = fate === 'twice' ? 2 : 1;
    const unheard = fate === 'twice' && this.#dice.odds(50);
    for (let each = 0; each < times; each++) {
      this.#underWay += 1;
      this.#time.in(inMs + each * this.#dice.between(0, 3_000), () => {
        this.#underWay -= 1;
        if (this.down) return;
        const answer = this.server.answer(request, this.#time.elapsedMs - leftMs);
        const heard = times === 1 || (each === 0 ? !unheard : unheard);
        if (heard) this.#answers(socket, answerBytes(answer), fate, generation);
      });
    }
  }

  /** Its sender has long stopped to wait when it arrives. */
  #holds(request: HttpRequest, tradeNo: string, heldMs: number): void {
    this.#underWay += 1;
    this.#time.in(heldMs, () => {
      this.#underWay -= 1;
      if (!this.down && this.arrives(tradeNo)) this.server.answer(request, heldMs);
    });
  }

  #answers(socket: MemorySocket, answer: Buffer, fate: Fate, generation: Generation): void {
    switch (fate) {
      case 'answer lost':
        return;
      case 'answer closed':
        return this.#closes(socket);
      case 'gateway after':
        return this.#says(socket, generation, 504, this.#dice.between(5, 2_000));
      case 'answer cut': {
        // And the connection ends inside of it.
        const some = answer.subarray(0, this.#dice.between(1, answer.length - 1));
        generation.receives(this.#dice.between(5, 200), () => {
          push(socket, some);
          this.#closes(socket);
        });
        return;
      }
      default: {
        const inMs = fate === 'answer late' ? this.#dice.between(10_000, 60_000) : this.#dice.between(5, 200);
        generation.receives(inMs, () => push(socket, answer));
      }
    }
  }

  /** A gateway in front of the host answers by itself: not the host's answer. */
  #says(socket: MemorySocket, generation: Generation, status: number, inMs: number): void {
    const answer = { status, headers: { 'Content-Type': 'text/html' }, body: '<html>upstream</html>' };
    generation.receives(inMs, () => push(socket, answerBytes(answer)));
  }

  #closes(socket: MemorySocket): void {
    this.#time.in(this.#dice.between(0, 50), () => socket.destroy());
  }

  #fate(): Fate {
    if (!this.#dice.odds(this.trouble)) return 'well';
    const fate = this.#dice.one<Fate>([
      [3, 'lost'],
      [2, 'closed'],
      [3, 'late'],
      [2, 'twice'],
      [4, 'answer lost'],
      [2, 'answer closed'],
      [2, 'answer late'],
      [1, 'answer cut'],
      [1, 'gateway'],
      [1, 'gateway after'],
    ]);
    this.#log.counted(`wallet ${fate}`);
    return fate;
  }
}

function push(socket: MemorySocket, bytes: Buffer): void {
  if (!socket.destroyed) socket.push(bytes);
}
