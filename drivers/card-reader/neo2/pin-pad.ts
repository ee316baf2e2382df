import { DeviceError } from '../../../src/base/ports/device.ts';
import type { EncryptedPin, PinOutcome, PinRequest } from '../../../src/base/ports/pin-pad.ts';
import { waitSeconds } from '../transaction-request.ts';
import * as commands from './commands.ts';
import { wasDamaged, type Connection } from './connection.ts';
import { status, statusText } from './status.ts';

/** First byte of the last answer to 62-01: IDG p.346. */
const padState = { pin: 0x00, cancelKey: 0x01, cancelledByCommand: 0x02 } as const;

/**
 * Key serial number and block, as hex digits (IDG p.350): 10 and 8 bytes of TDES DUKPT (ANSI X9.24-1:2009), 12 and 16
 * of AES DUKPT (X9.24-3:2017).
 */
const blockForms = [
  { format: 'ISO-0', ksnDigits: 20, blockDigits: 16 },
  { format: 'ISO-4', ksnDigits: 24, blockDigits: 32 },
] as const satisfies readonly { readonly format: EncryptedPin['format']; [digits: string]: unknown }[];

export interface PinLimits {
  /** Time-out of the first answer. */
  readonly replyTimeoutMs: number;
  /** Time-out of the answer to 62-00. */
  readonly cancelTimeoutMs: number;
  /** How much longer than the pad this side waits for a PIN. */
  readonly answerMarginMs: number;
}

/**
 * Sends 62-01, and 62-00 when the signal aborts. Settles once the pad accepts no more digits. `cardInside`: a chip
 * waits for its issuer. Only inside `exclusively`.
 */
export async function enterPin(
  connection: Connection,
  request: PinRequest,
  { replyTimeoutMs, cancelTimeoutMs, answerMarginMs }: PinLimits,
  signal: AbortSignal,
  cardInside: boolean,
): Promise<PinOutcome> {
  // With a chip inside, the reader accepts no ping. The next command is 60-12, whose answer can't be mistaken for one
  // to 62-00.
  const flush = () => (cardInside ? Promise.resolve() : connection.flush());
  const stopPad = async () => {
    // The acknowledgement of the 62-01 may come first.
    await connection.sendUntilConfirmed(commands.cancelPin(), commands.command.pin, {
      status: status.ok,
      timeoutMs: cancelTimeoutMs,
    });
    await flush();
  };
  const reply = await connection.run(commands.enterPin(request), commands.command.pin, {
    timeoutMs: waitSeconds(request.timeoutMs) * 1_000 + answerMarginMs,
    acknowledgement: { status: status.ok, timeoutMs: replyTimeoutMs },
    signal,
    withdrawal: { frame: commands.cancelPin(), timeoutMs: cancelTimeoutMs },
  });
  switch (reply.kind) {
    case 'answer': {
      let over = true;
      try {
        if (!signal.aborted) {
          over = endsEntry(reply, cardInside);
          return pinOutcome(reply, cardInside);
        }
        if (reply.status === status.ok && reply.data[0] === padState.cancelledByCommand) return { kind: 'cancelled' };
        if (wasDamaged(reply.status)) await stopPad();
        // The pad had ended by itself. No document states whether it answers a 62-00 that crossed its answer.
        else await flush();
        return { kind: 'cancelled' };
      } finally {
        reply.data.fill(0);
        if (!over) await stopPad();
      }
    }
    case 'aborted':
      return { kind: 'cancelled' };
    case 'silent':
      // After an abort 62-00 was sent already; it is not repeated to a pad that does not answer.
      if (signal.aborted) connection.lane.startOver();
      else await stopPad();
      throw new DeviceError('timeout', `${connection.name} gave no answer to 62-01`);
    case 'garbled':
      await stopPad();
      if (signal.aborted) return { kind: 'cancelled' };
      throw new DeviceError('protocol', 'answer to 62-01 was damaged');
    case 'vanished':
      throw new DeviceError('vanished', `${connection.name} vanished during a PIN entry`);
    default:
      return reply satisfies never;
  }
}

interface PinAnswer {
  readonly status: number;
  readonly data: Uint8Array;
  readonly acknowledged: boolean;
}

/** Whether the pad accepts no more digits: it never began, or its answer reports how the entry ended. */
function endsEntry({ status: code, data, acknowledged }: PinAnswer, cardInside: boolean): boolean {
  if (!acknowledged) return code !== status.ok;
  return code === status.timeout || (code === status.ok && data.length > 0) || (code === status.failed && cardInside);
}

/**
 * Reads the last answer to a 62-01 that was not cancelled. Throws DeviceError 'protocol' if it breaks the protocol,
 * 'refused' for a pad that can't take a PIN. The caller owns the data and overwrites it.
 */
export function pinOutcome({ status: code, data, acknowledged }: PinAnswer, cardInside = false): PinOutcome {
  // The customer has taken out the card, which ends the payment (fixtures/README.md).
  if (code === status.failed && cardInside && acknowledged) return { kind: 'cancelled' };
  if (code !== status.ok && code !== status.timeout) {
    throw new DeviceError('refused', `reader answered 62-01 with status ${statusText(code)}`);
  }
  if (!acknowledged) throw new DeviceError('protocol', 'answer to 62-01: no acknowledgement before it');
  if (code === status.timeout) return { kind: 'timeout' };
  const [state] = data;
  switch (state) {
    case padState.pin:
      return { kind: 'pin', pin: encryptedPin(data.subarray(1)) };
    case padState.cancelKey:
      return { kind: 'cancelled' };
    case undefined:
      throw new DeviceError('protocol', 'answer to 62-01: no state');
    default:
      throw new DeviceError('refused', `PIN pad ended with state ${statusText(state)}`);
  }
}

function encryptedPin(digits: Uint8Array): EncryptedPin {
  const text = Buffer.from(digits).toString('latin1');
  const form = blockForms.find(({ ksnDigits, blockDigits }) => text.length === ksnDigits + blockDigits);
  if (!form || !/^[0-9A-Fa-f]*$/.test(text)) throw new DeviceError('protocol', 'answer to 62-01: no PIN block');
  const bytes = Uint8Array.from(Buffer.from(text, 'hex'));
  return { format: form.format, ksn: bytes.slice(0, form.ksnDigits / 2), block: bytes.slice(form.ksnDigits / 2) };
}
