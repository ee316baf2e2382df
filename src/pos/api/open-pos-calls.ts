import { isOwnPosId } from '../../base/domain/identifiers.ts';
import { JournalError } from '../../payment/contracts/journal.ts';
import { UnreadableRecord } from '../../payment/records/record.ts';
import type { PosCallName, PosCalls, PosCaller, PosQuery, PosRequests } from '../contracts/pos-calls.ts';
import { type ApiParts, type Handler, type Identity, refusalAnswer } from './call.ts';
import type { CallRooms } from './call-rooms.ts';
import { cancel } from './cancel.ts';
import { capabilityReport } from './capabilities.ts';
import { display } from './display.ts';
import { openDrawer } from './drawer.ts';
import { enquiry } from './enquiry.ts';
import { isRefusal, refusal } from './input.ts';
import { pairing, reveal, rotate } from './pairing.ts';
import { payment } from './payment.ts';
import { parseIdentity } from './pos-request.ts';
import { type Answer, errorAnswer } from './pos-response.ts';
import { print } from './print.ts';
import { receipt } from './receipt.ts';
import { report } from './report.ts';
import { printReport } from './report-print.ts';
import { settlement } from './settlement.ts';
import { transactions } from './transactions.ts';

const handlers: Readonly<Record<PosCallName, Handler>> = {
  payment,
  enquiry,
  cancel,
  settlement,
  receipt,
  print,
  display,
  openDrawer,
  printReport,
  pairing,
  reveal,
  rotate,
  transactions,
  report,
  status: async (_body, { status }) => ({ status: 200, body: await status() }),
  capabilities: async (_body, { capabilities, collectTimes, counter }) => ({
    status: 200,
    body: capabilityReport(capabilities, collectTimes, counter),
  }),
};

/** The calls that take a query in place of a body. */
const reading: ReadonlySet<PosCallName> = new Set(['transactions', 'report', 'status', 'capabilities']);
/** The calls by which a POS gets its key: six digits protect them (docs/pairing.md). */
const keyless: ReadonlySet<PosCallName> = new Set(['pairing', 'reveal']);
/** Calls whose request may have been carried out already, or may be in progress. */
const ofMoney: ReadonlySet<PosCallName> = new Set(['payment', 'enquiry', 'cancel', 'settlement']);

export interface PosCallsOptions {
  readonly parts: ApiParts;
  /** Only paired POS may call. */
  readonly isPairingRequired: boolean;
  /** Calls of this protocol that wait at one time. Unlimited where the protocol limits them itself. */
  readonly rooms?: CallRooms;
  /**
   * Runs the work of a call as the terminal's own, not as that of the protocol, so that its errors are not isolated.
   */
  readonly outside?: <T>(work: () => T) => T;
  readonly onFailure: (error: unknown) => void;
}

/** The calls of one protocol. */
export function openPosCalls(options: PosCallsOptions): PosCalls {
  const { outside = (work) => work() } = options;
  const names = Object.keys(handlers) as PosCallName[];
  const calls = names.map((name) => [
    name,
    (request: PosRequests[typeof name], caller: PosCaller) => outside(() => answerCall(name, request, caller, options)),
  ]);
  return Object.fromEntries(calls);
}

async function answerCall(
  name: PosCallName,
  request: unknown,
  caller: PosCaller,
  { parts, isPairingRequired, rooms, onFailure }: PosCallsOptions,
): Promise<Answer> {
  const isReading = reading.has(name);
  const body = isReading ? undefined : request;
  const asked = isReading ? (request as PosQuery) : { query: new URLSearchParams() };
  const refused = refusalOfCaller(name, caller, isPairingRequired) ?? refusalOfName(caller, body, asked);
  if (refused) return refused;
  const handle = () =>
    handlers[name](body, parts, caller, asked)
      .catch(unreadable)
      .catch((error: unknown) => {
        onFailure(error);
        return failedAnswer(error);
      });
  if (!rooms || keyless.has(name)) return handle();
  return (await rooms.within(name, caller, handle)) ?? tooManyAnswer(name, body);
}

const nothing = { financialImpact: 'NONE' } as const;
const failed = { reason: 'internalError', message: 'the terminal failed to handle the request: enquire' } as const;
const notPaired = { reason: 'notPaired', message: 'only paired points of sale may call' } as const;
const otherPosId = { reason: 'otherPosId', message: 'the key of this call belongs to another posId' } as const;
const tooMany = { reason: 'tooManyCalls', message: 'too many calls of this till wait for their answers' } as const;

/** Independent of the protocol: a caller from outside of the shop needs credentials. */
function refusalOfCaller(name: PosCallName, { posId, isRemote }: PosCaller, isPairingRequired: boolean) {
  if (posId !== undefined || keyless.has(name) || !(isPairingRequired || isRemote)) return undefined;
  return errorAnswer(401, 'ERROR', notPaired, nothing);
}

/** An identified caller may name only itself, and no caller may name the terminal. */
function refusalOfName(caller: PosCaller, body: unknown, asked: PosQuery): Answer | undefined {
  const refused = refusalOfOthers(caller, body, asked);
  if (refused) return refused;
  // The terminal makes its own calls internally: such a name in a request is refused, whichever call it is.
  const { posId } = (body ?? {}) as { readonly posId?: unknown };
  if (typeof posId !== 'string' || !isOwnPosId(posId)) return undefined;
  const message = 'is a name that is reserved for the terminal';
  return refusalAnswer(400, refusal('INVALID_PARAMETER', 'posIdReserved', '/posId', message), body);
}

/** The answer to an identified caller that names another POS; undefined if it does not. */
export function refusalOfOthers({ posId }: PosCaller, body: unknown, { query }: PosQuery): Answer | undefined {
  if (posId === undefined) return undefined;
  const isNamed = typeof body === 'object' && body !== null && 'posId' in body;
  const named: unknown[] = [...query.getAll('posId'), ...(isNamed ? [body.posId] : [])];
  return named.some((each) => each !== posId) ? errorAnswer(403, 'ERROR', otherPosId, nothing) : undefined;
}

/** The request was not examined: its transaction may run, or have ended. */
function tooManyAnswer(name: PosCallName, body: unknown): Answer {
  const identity = parseIdentity(body);
  const { posId, messageId }: Partial<Identity> = isRefusal(identity) ? {} : identity;
  return errorAnswer(503, 'ERROR', tooMany, {
    ...(posId === undefined ? {} : { posId }),
    ...(messageId === undefined ? {} : { messageId }),
    financialImpact: ofMoney.has(name) ? 'UNKNOWN' : 'NONE',
  });
}

/** A journal that has failed is no fault of the call, and answers again after a restart. */
function failedAnswer(error: unknown): Answer {
  if (!(error instanceof JournalError)) return errorAnswer(500, 'ERROR', failed, { financialImpact: 'UNKNOWN' });
  const message = `${error.message}; the outcome is not known: enquire`;
  return errorAnswer(503, 'UNKNOWN', { reason: 'outcomeUnknown', message }, { financialImpact: 'UNKNOWN' });
}

/** The record is damaged, missing, or written by a newer version, so repeating the call does not help. */
function unreadable(error: unknown): Answer {
  const isKnown = error instanceof UnreadableRecord || (error instanceof JournalError && error.code === 'archive');
  if (!isKnown) throw error;
  const { message } = error;
  return errorAnswer(503, 'DATABASE_ERROR', { reason: 'recordUnreadable', message }, { financialImpact: 'UNKNOWN' });
}
