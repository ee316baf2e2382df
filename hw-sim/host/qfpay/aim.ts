import type { Call } from './fields.ts';
import type { QfpayHostMode } from './mode.ts';

/** Aims a mode at the n-th payment or refund, with `enquiries` at the n-th of these and enquiries. */
export class Aim {
  #requests = 0;

  /** A mode was set: requests count from here. */
  begin(): void {
    this.#requests = 0;
  }

  /** The mode that a call meets. */
  modeFor(call: Call, mode: QfpayHostMode): QfpayHostMode {
    const { atMessage, enquiries = false } = mode;
    if (atMessage === undefined) return mode;
    if (call === 'payment' || call === 'refund' || (call === 'query' && enquiries)) {
      this.#requests += 1;
      if (this.#requests === atMessage) return mode;
    }
    return { ...mannersOf(mode), mode: 'up' };
  }
}

/** What belongs to the host, and not to one message. */
function mannersOf({
  queryLagMs,
  queryTime,
  clockOffsetMs,
  utcOffsetMinutes,
  answerSignature,
  answerSignType,
  unknownOrder,
  excessRefunds,
}: QfpayHostMode): Omit<QfpayHostMode, 'mode'> {
  return {
    ...(queryLagMs !== undefined && { queryLagMs }),
    ...(queryTime !== undefined && { queryTime }),
    ...(clockOffsetMs !== undefined && { clockOffsetMs }),
    ...(utcOffsetMinutes !== undefined && { utcOffsetMinutes }),
    ...(answerSignature !== undefined && { answerSignature }),
    ...(answerSignType !== undefined && { answerSignType }),
    ...(unknownOrder !== undefined && { unknownOrder }),
    ...(excessRefunds !== undefined && { excessRefunds }),
  };
}
