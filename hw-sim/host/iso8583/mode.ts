import { type TlsFault, tlsFaults } from '../../tls/host-tls.ts';
import {
  type KeyExchangeManner,
  keyExchangeManners,
  type OutOfStepManner,
  outOfStepManners,
  type SignOnManner,
  signOnManners,
} from './manners.ts';
import { checkExtraFields, type ExtraFields } from './extra-fields.ts';

/**
 * How the host treats the next online requests (0100 and 0200: sales, auths, refunds and voids). up: answers. down:
 * does not listen, open connections are closed; the port is kept. silent: carries out and never answers — the worst
 * case for a terminal, because the money moved. late: carries out and answers after `delayMs`. garbage: carries out
 * and answers with a frame that holds no message. duplicate: every answer twice. closeAfterRequest: carries out and
 * closes the connection without an answer. overtaken, only for card hosts: closes the connection, and carries out the
 * request only after it has answered the reversal.
 */
export const hostModeNames = ['up', 'down', 'silent', 'late', 'garbage', 'duplicate', 'closeAfterRequest'] as const;
export type HostModeName = (typeof hostModeNames)[number];
export const cardHostModeNames = [...hostModeNames, 'overtaken'] as const;
type CardHostModeName = (typeof cardHostModeNames)[number];

/** What happens to a settled batch that is settled again. Without one of these it is acknowledged again. */
export const settledManners = ['countedTwice', 'refused'] as const;
export type SettledManner = (typeof settledManners)[number];

/**
 * The fault of this site, for every message including sign-ons and reversals. siteLost: each message closes the
 * connection, and is not carried out. siteSilent: the site accepts connections, and neither carries out nor answers.
 */
export const siteFaults = ['siteLost', 'siteSilent'] as const;
export type SiteFault = (typeof siteFaults)[number];

/** Codes that may approve an advice instead of 00 (ISO 8583:1987, field 39; assumed: their use for advices). */
export const adviceApprovals = ['08', '10', '11', '16'] as const;
export type AdviceApproval = (typeof adviceApprovals)[number];

export interface HostMode {
  readonly mode: CardHostModeName;
  /** With up: delay of every answer. With late: delay of the late answers, 8000 by default. At most 600000. */
  readonly delayMs?: number;
  /** Field 39 of every sale, auth and refund that would otherwise be approved. */
  readonly decline?: string;
  /**
   * A sale above this amount, in minor units, is approved for this amount only: field 39 is 10, and field 4 has this
   * amount.
   */
  readonly coversMinor?: number;
  /** The cents of a sale, auth or refund decline it where they are a code that does: 10.51 with 51. */
  readonly declineByAmount?: boolean;
  /** The cents choose how the answer to a sale, auth or refund goes out: amount-endings.ts. */
  readonly faultByAmount?: boolean;
  /**
   * Only the n-th online request from now (0100 and 0200) meets the mode and the declines; every other message is
   * answered as by a host without faults.
   */
  readonly atMessage?: number;
  /** A chip's issuer sends a script with every answer to it: before or after its second cryptogram. */
  readonly script?: '71' | '72';
  /** Field 39 of every void that would otherwise be approved. */
  readonly declineVoids?: string;
  /** Field 39 of every reversal; none is carried out. */
  readonly refuseReversals?: string;
  /** With silent and late: reversals are carried out, but not answered either. */
  readonly reversals?: boolean;
  /** With silent, late, garbage and closeAfterRequest: the mode applies to advices too, 0220 and 0221. */
  readonly advices?: boolean;
  /** With the same modes: also applies to settlement and upload, 0500 and 0320. */
  readonly settlement?: boolean;
  /**
   * With overtaken: the connection stays open. The request is carried out `delayMs` after the first reversal was
   * answered, and answered on its own connection. Until then a reversal finds no record.
   */
  readonly lateAnswer?: boolean;
  /** A trace number that was ever used is answered 94 for ever: also reversed and settled ones, and advices. */
  readonly duplicates?: '94';
  /** Field 39 of every advice that is posted; 00 by default. */
  readonly approveAdvices?: AdviceApproval;
  /** Field 39 of every advice that would otherwise be posted. */
  readonly rejectAdvices?: string;
  /** What happens to a settled batch of a currency, or its postings, under other totals or in another upload. */
  readonly settled?: SettledManner;
  /** With settled refused: its field 39; 12 by default. No public source names one. */
  readonly settledCode?: string;
  /** With settled: also for the same totals. By default their repeat is acknowledged. */
  readonly settledRepeats?: boolean;
  /** Interval of an empty frame (00 00) on every connection, also sent before every answer: the keep-alive of jPOS. */
  readonly keepAliveMs?: number;
  /** Every answer has a second bitmap in which no bit is set. */
  readonly secondBitmap?: boolean;
  /** Every answer has these fields as well, or has them like this, or does not have them: extra-fields.ts. */
  readonly extraFields?: ExtraFields;
  /**
   * The terminals that the host knows, by field 41. Every message of another is answered 89; all are known by default.
   */
  readonly terminals?: readonly string[];
  /** The merchants that it knows, by field 42. Every message of another is answered 03. */
  readonly merchants?: readonly string[];
  /** Every further handshake fails in this way; open connections are closed. Only for a host with TLS. */
  readonly tlsFault?: TlsFault;
  /** The reaction to further sign-ons. Connections that are signed on stay so. Only for a dialect with a sign-on. */
  readonly signOn?: SignOnManner;
  /** Echoes are not answered. */
  readonly silentEchoes?: boolean;
  /** Every answer has a wrong authentication code. Only for a host with authentication codes. */
  readonly wrongMac?: boolean;
  /**
   * The host accepts a key serial number whose counter is not above the last one of its terminal. Otherwise it answers
   * such a message with the first code of `codes.keysOutOfStep`. Only for a host with DUKPT.
   */
  readonly acceptsUsedKeys?: boolean;
  readonly siteFault?: SiteFault;
  /** The reaction to further exchanges of keys. Only for a host with session keys. */
  readonly keyExchange?: KeyExchangeManner;
  /**
   * The host changes its working key now, and keeps the new one until the next exchange. Only for a host with session
   * keys.
   */
  readonly keysOutOfStep?: OutOfStepManner;
  /** The next comparison of totals is answered 95, whatever the totals. Only once. */
  readonly mismatch?: boolean;
}

/** Properties of an answer that do not depend on the books. */
export type AnswerMode = Pick<HostMode, 'secondBitmap' | 'extraFields' | 'wrongMac' | 'acceptsUsedKeys'>;

export const lateDelayMs = 8000;
const delayMsMax = 600_000;
const messagesMax = 1000;
const numbersMax = 100;

/** Codes that a terminal treats as approval: declining with one would approve without a posting. */
const approvals = new Set(['00', '08', '10', '11', '16']);

/** Codes that a terminal treats as the end of a reversal: done, or no record. */
const acknowledgements = new Set(['00', '25']);

/** Modes that apply only to some messages. */
const selective: ReadonlySet<CardHostModeName> = new Set(['silent', 'late', 'garbage', 'closeAfterRequest']);

/** Throws RangeError with a sentence for the caller. */
export function checkMode(wanted: HostMode): void {
  const { mode, delayMs, advices, settlement, refuseReversals, keepAliveMs } = wanted;
  checkAtMessage(wanted);
  checkExtraFields(wanted.extraFields ?? {});
  if (!cardHostModeNames.includes(mode)) throw new RangeError(`mode is one of ${cardHostModeNames.join(', ')}`);
  if (delayMs !== undefined && !(Number.isInteger(delayMs) && delayMs >= 0 && delayMs <= delayMsMax)) {
    throw new RangeError(`delayMs is a whole number from 0 to ${delayMsMax}`);
  }
  for (const name of ['decline', 'declineVoids', 'rejectAdvices', 'settledCode'] as const) {
    const code = wanted[name];
    if (code !== undefined && (!/^[0-9A-Z]{2}$/.test(code) || approvals.has(code))) {
      throw new RangeError(`${name} is a response code of two characters that does not approve`);
    }
  }
  if (
    refuseReversals !== undefined &&
    (!/^[0-9A-Z]{2}$/.test(refuseReversals) || acknowledgements.has(refuseReversals))
  ) {
    throw new RangeError('refuseReversals is a response code of two characters that ends no reversal');
  }
  if (keepAliveMs !== undefined && !(Number.isInteger(keepAliveMs) && keepAliveMs >= 1 && keepAliveMs <= delayMsMax)) {
    throw new RangeError(`keepAliveMs is a whole number from 1 to ${delayMsMax}`);
  }
  if (wanted.lateAnswer === true && mode !== 'overtaken') throw new RangeError('lateAnswer goes with overtaken');
  if (wanted.settledCode !== undefined && wanted.settled !== 'refused') {
    throw new RangeError('settledCode goes with settled refused');
  }
  if (wanted.settledRepeats === true && wanted.settled === undefined)
    throw new RangeError('settledRepeats goes with settled');
  const { coversMinor } = wanted;
  if (coversMinor !== undefined && !(Number.isSafeInteger(coversMinor) && coversMinor >= 1))
    throw new RangeError('coversMinor is a whole number of minor units from 1 on');
  checkNumbers('terminals', wanted.terminals, /^\d{8}$/);
  checkNumbers('merchants', wanted.merchants, /^\d{15}$/);
  checkOneOf('settled', wanted.settled, settledManners);
  checkOneOf('approveAdvices', wanted.approveAdvices, adviceApprovals);
  checkOneOf('signOn', wanted.signOn, signOnManners);
  checkOneOf('siteFault', wanted.siteFault, siteFaults);
  checkOneOf('keyExchange', wanted.keyExchange, keyExchangeManners);
  checkOneOf('keysOutOfStep', wanted.keysOutOfStep, outOfStepManners);
  checkOneOf('tlsFault', wanted.tlsFault, tlsFaults);
  checkOneOf('duplicates', wanted.duplicates, ['94']);
  if ((advices === true || settlement === true) && !selective.has(mode)) {
    throw new RangeError(`advices and settlement go with ${[...selective].join(', ')}`);
  }
}

/** The n-th online request, and nothing of other messages, which it would leave out. */
function checkAtMessage({ atMessage, mode, reversals, advices, settlement }: HostMode): void {
  if (atMessage === undefined) return;
  if (!(Number.isInteger(atMessage) && atMessage >= 1 && atMessage <= messagesMax)) {
    throw new RangeError(`atMessage is a whole number from 1 to ${messagesMax}`);
  }
  if (mode === 'down' || mode === 'overtaken' || reversals === true || advices === true || settlement === true) {
    throw new RangeError('atMessage goes with what happens to one online request');
  }
}

function checkNumbers(name: string, values: readonly string[] | undefined, form: RegExp): void {
  if (values === undefined) return;
  const isList = Array.isArray(values) && values.length <= numbersMax;
  if (!isList || !values.every((each) => typeof each === 'string' && form.test(each))) {
    throw new RangeError(`${name} is a list of at most ${numbersMax} numbers of the length of its field`);
  }
}

function checkOneOf(name: string, value: string | undefined, values: readonly string[]): void {
  if (value !== undefined && !values.includes(value)) throw new RangeError(`${name} is one of ${values.join(', ')}`);
}
