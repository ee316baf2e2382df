/**
 * How the host treats the next sales.
 * up: answers. down: does not listen, open connections are closed; the port is kept.
 * silent: posts and never answers — the worst case for a terminal, because the money moved. late: posts and answers
 * after `delayMs`. garbage: posts and answers with a frame that holds no message. duplicate: every answer twice.
 * closeAfterRequest: posts and closes the connection without an answer.
 */
export const hostModeNames = ['up', 'down', 'silent', 'late', 'garbage', 'duplicate', 'closeAfterRequest'] as const;
export type HostModeName = (typeof hostModeNames)[number];

export interface HostMode {
  readonly mode: HostModeName;
  /** With up: every answer waits so long. With late: the answer to a sale does, 8000 when not given. At most 600000. */
  readonly delayMs?: number;
  /** Field 39 of every sale that would otherwise be approved. */
  readonly decline?: string;
  /** With silent and late: reversals are carried out, but not answered either. */
  readonly reversals?: boolean;
}

export const lateDelayMs = 8000;
const delayMsMax = 600_000;

/** Codes that a terminal takes for an approval: declining with them would approve without a posting. */
const approvals = new Set(['00', '08', '10', '11', '16']);

/** Throws RangeError with a sentence for whoever asked for this mode. */
export function checkMode(wanted: HostMode): void {
  const { mode, delayMs, decline } = wanted;
  if (!hostModeNames.includes(mode)) throw new RangeError(`mode is one of ${hostModeNames.join(', ')}`);
  if (delayMs !== undefined && !(Number.isInteger(delayMs) && delayMs >= 0 && delayMs <= delayMsMax)) {
    throw new RangeError(`delayMs is a whole number from 0 to ${delayMsMax}`);
  }
  if (decline !== undefined && (!/^[0-9A-Z]{2}$/.test(decline) || approvals.has(decline))) {
    throw new RangeError('decline is a response code of two characters that does not approve');
  }
}
