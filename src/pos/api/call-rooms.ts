import type { CallRoom } from '../../base/domain/call-room.ts';
import type { PosCaller, PosCallName } from '../contracts/pos-calls.ts';
import { callerOf } from './caller.ts';

/**
 * Calls that wait for their answers, in each room. A POS has more places than calls that may wait for one payment,
 * because a replacing call arrives before the replaced one leaves.
 */
const waitingMax = 64;
const waitingPerCallerMax: Readonly<Record<CallRoom, number>> = { payment: 16, recovery: 16, other: 8 };

const rooms: Readonly<Partial<Record<PosCallName, CallRoom>>> = {
  payment: 'payment',
  settlement: 'payment',
  cancel: 'recovery',
  enquiry: 'recovery',
};

/** Limits how many calls of one protocol wait at one time. Only a caller that floods gets refusals. */
export class CallRooms {
  /** By room and caller. */
  readonly #waiting: Readonly<Record<CallRoom, Map<string, number>>> = {
    payment: new Map(),
    recovery: new Map(),
    other: new Map(),
  };

  /** The result of `handle`; undefined, without calling it, if too many calls wait. */
  async within<T>(name: PosCallName, caller: PosCaller, handle: () => Promise<T>): Promise<T | undefined> {
    const room = rooms[name] ?? 'other';
    const waiting = this.#waiting[room];
    const whose = callerOf(caller);
    const own = waiting.get(whose) ?? 0;
    const all = [...waiting.values()].reduce((sum, each) => sum + each, 0);
    if (own >= waitingPerCallerMax[room] || all >= waitingMax) return undefined;
    waiting.set(whose, own + 1);
    try {
      return await handle();
    } finally {
      const left = (waiting.get(whose) ?? 1) - 1;
      if (left === 0) waiting.delete(whose);
      else waiting.set(whose, left);
    }
  }
}
