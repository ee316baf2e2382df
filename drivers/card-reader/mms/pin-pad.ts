import { tlvMap, TlvError } from '../../../src/codecs/emv/tlv.ts';
import { DeviceError } from '../../../src/base/ports/device.ts';
import type { EncryptedPin, PinOutcome, PinRequest } from '../../../src/base/ports/pin-pad.ts';
import { waitSeconds } from '../transaction-request.ts';
import * as commands from './commands.ts';
import type { Connection } from './connection.ts';
import { isTaken, pinEnding } from './status.ts';

/** TDES DUKPT: a key serial number of 10 bytes and a block of 8 (ANSI X9.24-1:2009). */
const ksnBytes = 10;
const blockBytes = 8;

/** DF71: ISO format 0 (D100005000, Table 315). DFDF42: TDES DUKPT, the PIN variant (4.4). */
const isoFormat0 = 0x00;
const tdesPin = 0x81;

export interface PinLimits {
  /** How much longer than the pad this side waits for a PIN. */
  readonly answerMarginMs: number;
}

/** Sends 2001, and a second one to end it when the signal aborts. Settles once the pad accepts no more digits. */
export async function enterPin(
  connection: Connection,
  request: PinRequest,
  { answerMarginMs }: PinLimits,
  signal: AbortSignal,
): Promise<PinOutcome> {
  const reply = await connection.request(commands.enterPin(request), signal);
  if (reply.kind !== 'response') return noPin(connection, reply.kind, signal);
  if (!isTaken(reply.summary)) {
    throw new DeviceError('refused', `reader answered 2001 with ${reply.detail}`);
  }
  const timeoutMs = waitSeconds(request.timeoutMs) * 1_000 + answerMarginMs;
  const received = await connection.listen({ timeoutMs, signal }, ({ id, detail, data }) =>
    id === commands.notification.pin ? pinOutcome(detail, data) : undefined,
  );
  if (received.kind !== 'heard') return noPin(connection, received.kind, signal);
  // The abort came after the PIN: even so, no PIN is returned.
  return signal.aborted ? { kind: 'cancelled' } : received.heard;
}

async function noPin(
  connection: Connection,
  kind: 'garbled' | 'silent' | 'aborted' | 'vanished',
  signal: AbortSignal,
): Promise<PinOutcome> {
  if (kind === 'vanished') throw new DeviceError('vanished', `${connection.name} vanished during a PIN entry`);
  await connection.endPin();
  switch (kind) {
    case 'aborted':
      return { kind: 'cancelled' };
    case 'garbled':
      if (signal.aborted) return { kind: 'cancelled' };
      throw new DeviceError('protocol', 'notification 0205 was damaged');
    case 'silent':
      throw new DeviceError('timeout', `${connection.name} gave no answer to 2001`);
    default:
      return kind satisfies never;
  }
}

/**
 * Reads the 0205 of a PIN entry that was not cancelled. Throws DeviceError 'protocol' if it breaks the protocol,
 * 'refused' for a pad that can't take a PIN. The caller owns the data and overwrites it.
 */
export function pinOutcome(detail: string, data: Uint8Array): PinOutcome {
  switch (detail) {
    case pinEnding.done:
      return { kind: 'pin', pin: encryptedPin(data) };
    case pinEnding.cancelled:
      return { kind: 'cancelled' };
    case pinEnding.timedOut:
      return { kind: 'timeout' };
    default:
      throw new DeviceError('refused', `PIN pad ended with ${detail}`);
  }
}

function encryptedPin(data: Uint8Array): EncryptedPin {
  const objects = pinObjects(data);
  const format = objects.get('DF71');
  const block = objects.get('99');
  const ksn = objects.get('DFDF41');
  const encryption = objects.get('DFDF42');
  const known = format?.length === 1 && encryption?.length === 1;
  if (!known || format[0] !== isoFormat0 || encryption[0] !== tdesPin) {
    throw new DeviceError('protocol', 'notification 0205: a PIN block of another kind');
  }
  if (block?.length !== blockBytes || ksn?.length !== ksnBytes) {
    throw new DeviceError('protocol', 'notification 0205: no PIN block');
  }
  return { format: 'ISO-0', ksn, block };
}

/** Copies of the objects in F5. */
function pinObjects(data: Uint8Array): Map<string, Uint8Array> {
  try {
    const outer = tlvMap(data);
    const found = outer.get('F5');
    if (!found) throw new DeviceError('protocol', 'notification 0205: no F5');
    const objects = tlvMap(found);
    found.fill(0);
    return objects;
  } catch (error) {
    if (error instanceof TlvError) throw new DeviceError('protocol', `notification 0205: ${error.message}`);
    throw error;
  }
}
