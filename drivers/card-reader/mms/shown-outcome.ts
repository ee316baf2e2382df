import type { CardDecision } from '../../../src/ports/card-reader.ts';
import { resume } from './commands.ts';
import type { Connection } from './connection.ts';
import type { Command } from './message.ts';
import { isTaken } from './status.ts';
import { transactionEnd, vanishedError } from './transaction-end.ts';

/**
 * 1004 for a card that was held there. It has left the field, and nothing that its issuer says can reach it: 8A alone is sent, and what
 * the device makes of it decides nothing. But in the EMV flow the device shows what it is told (Programmer's Manual, p.94, step
 * 10), so it is told what the host has said, and Z3 only where nobody has.
 */
export function outcomeCommand(decision: CardDecision, serial: Uint8Array): Command {
  return resume(decision.kind === 'unreachable' ? decision : { ...decision, issuerData: new Map() }, serial);
}

/** Sends it, and waits for the end of the transaction. One that the device has given up by then is over as well. */
export async function showOutcome(connection: Connection, command: Command, endTimeoutMs: number): Promise<void> {
  const reply = await connection.request(command);
  if (reply.kind === 'vanished') throw vanishedError(connection);
  if (reply.kind === 'response' && isTaken(reply.summary)) await transactionEnd(connection, endTimeoutMs);
  else await connection.disarm();
}
