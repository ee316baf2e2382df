import { endingOf } from './amount-endings.ts';
import type { Message } from './message.ts';
import type { HostMode } from './mode.ts';

/** Aims a mode at the n-th online request. */
export class Aim {
  #requests = 0;

  /** A mode was set: requests count from here. */
  begin(): void {
    this.#requests = 0;
  }

  /** The mode that a message meets. */
  modeFor({ mti }: Message, mode: HostMode): HostMode {
    const { atMessage, keepAliveMs, secondBitmap } = mode;
    if (atMessage === undefined) return mode;
    if (mti === '0100' || mti === '0200') {
      this.#requests += 1;
      if (this.#requests === atMessage) return mode;
    }
    return {
      mode: 'up',
      ...(keepAliveMs !== undefined && { keepAliveMs }),
      ...(secondBitmap !== undefined && { secondBitmap }),
    };
  }
}

/** How the answer goes out: as the mode says, unless the cents of a sale, auth or refund choose another way. */
export function wayOf({ mti, fields }: Message, mode: HostMode): HostMode {
  if (mode.faultByAmount !== true || (mti !== '0100' && mti !== '0200')) return mode;
  const [processing = '', amount = ''] = [fields.get(3), fields.get(4)];
  if (!/^(?:00|09|20)/.test(processing) || !/^\d{12}$/.test(amount)) return mode;
  const fault = endingOf(BigInt(amount))?.fault;
  return fault ? { ...mode, ...fault } : mode;
}
