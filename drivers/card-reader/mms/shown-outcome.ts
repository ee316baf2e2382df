import type { CardDecision } from '../../../src/base/ports/card-reader.ts';
import { resume } from './commands.ts';
import type { Connection } from './connection.ts';
import type { Command } from './message.ts';
import { isTaken } from './status.ts';
import { transactionEnd, vanishedError } from './transaction-end.ts';

/**
 * 1004 for a contactless card. The card has left the field, and issuer data can't reach it: only 8A is sent, and the
 * device's answer decides nothing. But in the EMV flow the device shows the outcome (Programmer's Manual, p.94, step
 * 10). So it gets the host's answer, and Z3 only without one.
 */
export function outcomeCommand(decision: CardDecision, serial: Uint8Array): Command {
  return resume(decision.kind === 'unreachable' ? decision : { ...decision, issuerData: new Map() }, serial);
}

/**
 * Sends the 1004 and waits for the end of the transaction. If the device has given up the transaction, it is over too.
 */
export async function showOutcome(connection: Connection, command: Command, endTimeoutMs: number): Promise<void> {
  const reply = await connection.request(command);
  if (reply.kind === 'vanished') throw vanishedError(connection);
  if (reply.kind === 'response' && isTaken(reply.summary)) await transactionEnd(connection, endTimeoutMs);
  else await connection.disarm();
}
