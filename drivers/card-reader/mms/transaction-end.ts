import { DeviceError } from '../../../src/base/ports/device.ts';
import { notification } from './commands.ts';
import type { Connection } from './connection.ts';
import type { Notification } from './exchange.ts';

/** Waits for 0105, and ends the transaction with 1008 if 0105 does not come. Throws DeviceError. */
export async function transactionEnd(
  connection: Connection,
  endTimeoutMs: number,
): Promise<Pick<Notification, 'technology' | 'detail'> | undefined> {
  const end = await connection.listen({ timeoutMs: endTimeoutMs, ignoreGarble: true }, ({ id, technology, detail }) =>
    id === notification.transactionOver ? { technology, detail } : undefined,
  );
  if (end.kind === 'heard') return end.heard;
  if (end.kind === 'vanished') throw vanishedError(connection);
  await connection.disarm();
  return undefined;
}

export function vanishedError(connection: Connection): DeviceError {
  return new DeviceError('vanished', `${connection.name} went while it was armed`);
}
