import { Advices } from './advices.ts';
import { Books } from './books.ts';
import type { OperationParts } from './operation-parts.ts';
import type { Inclination } from './inclination.ts';
import type { Message } from './message.ts';
import { hongKongTime, Numbers } from './numbers.ts';
import { OnlineRequests } from './online.ts';
import { formOf, type OperationName, operationOf } from './operation.ts';
import { clearCardData, type Keys } from './presented.ts';
import { isKnownType, type Profile } from './profile.ts';
import { type SettlementEntry, Settlements } from './settlements.ts';
import { strangerOf } from './stranger.ts';
import type { Refusal, Stamp, Verdict } from './verdict.ts';

/** The kinds that a mode distinguishes: request is 0100 and 0200, settlement is 0500 and 0320. */
export type AnsweredKind = 'request' | 'advice' | 'settlement' | 'reversal' | 'other';

export interface Answered {
  readonly kind: AnsweredKind;
  /** Missing if the message was not a request: then nothing is answered. */
  readonly reply?: Message;
  /** Findings: what a correct terminal would not have sent. */
  readonly findings: readonly string[];
  /** The requested mismatch was answered. */
  readonly mismatched: boolean;
}

export interface RequestCounts {
  readonly saleRequests: number;
  readonly authRequests: number;
  readonly refundRequests: number;
  readonly voidRequests: number;
  readonly adviceRequests: number;
  readonly reversalRequests: number;
  readonly settlementRequests: number;
  readonly uploadRequests: number;
  /** Sales, auths, refunds and voids that were approved. */
  readonly approvals: number;
}

/** Fields that an answer repeats from its request. */
const echoed = [3, 4, 11, 24, 41] as const;

const noCounts: RequestCounts = {
  saleRequests: 0,
  authRequests: 0,
  refundRequests: 0,
  voidRequests: 0,
  adviceRequests: 0,
  reversalRequests: 0,
  settlementRequests: 0,
  uploadRequests: 0,
  approvals: 0,
};

interface Handling {
  readonly kind: AnsweredKind;
  readonly count?: Exclude<keyof RequestCounts, 'approvals'>;
}

const handlings: Readonly<Record<OperationName, Handling>> = {
  sale: { kind: 'request', count: 'saleRequests' },
  auth: { kind: 'request', count: 'authRequests' },
  refund: { kind: 'request', count: 'refundRequests' },
  void: { kind: 'request', count: 'voidRequests' },
  'void of a refund': { kind: 'request', count: 'voidRequests' },
  'offline sale': { kind: 'advice', count: 'adviceRequests' },
  completion: { kind: 'advice', count: 'adviceRequests' },
  'tip adjust': { kind: 'advice', count: 'adviceRequests' },
  reversal: { kind: 'reversal', count: 'reversalRequests' },
  settlement: { kind: 'settlement', count: 'settlementRequests' },
  trailer: { kind: 'settlement', count: 'settlementRequests' },
  upload: { kind: 'settlement', count: 'uploadRequests' },
  echo: { kind: 'other' },
};

/** The kind of a message without operation, by the first two digits of its type. */
const kindsOfType: ReadonlyMap<string, AnsweredKind> = new Map([
  ['010', 'request'],
  ['020', 'request'],
  ['022', 'advice'],
  ['032', 'settlement'],
  ['050', 'settlement'],
]);

/** Acquirer and issuer in one: decides, books, and builds the answer. It knows nothing of sockets. */
export class Acquirer {
  readonly books = new Books();
  readonly #online: OnlineRequests;
  readonly #advices: Advices;
  readonly #settlements: Settlements;
  readonly #profile: Profile;
  readonly #seed: number;
  readonly #now: () => Date;
  #numbers: Numbers;
  #counts = { ...noCounts };

  /** Throws RangeError unless the tolerance is a whole number from 0 to 100. */
  constructor(options: Keys & { profile: Profile; seed: number; now: () => Date; completionTolerancePercent: number }) {
    const { bdk, aesBdk, cards, profile, seed, now } = options;
    this.#profile = profile;
    this.#seed = seed;
    this.#now = now;
    this.#numbers = new Numbers(seed);
    const parts: OperationParts = {
      books: this.books,
      keys: { bdk, aesBdk, cards },
      profile,
      at: () => now().toISOString(),
      stamp: () => this.#stamp(),
      approvalCode: () => this.#numbers.approvalCode(),
    };
    this.#online = new OnlineRequests(parts);
    this.#advices = new Advices(parts, options.completionTolerancePercent);
    this.#settlements = new Settlements(parts);
  }

  get counts(): RequestCounts {
    return { ...this.#counts };
  }

  get numbers(): Numbers {
    return this.#numbers;
  }

  /** Oldest first. */
  settlements(): SettlementEntry[] {
    return this.#settlements.entries();
  }

  answer(request: Message, inclination: Inclination = {}): Answered {
    const findings = clearCardData(request);
    const note = (finding: string): void => {
      findings.push(finding);
    };
    if (!isKnownType(request.mti)) return this.#unknown(request, findings);
    const { operations } = this.#profile;
    const operation = operationOf(operations, request);
    const { kind, count } = operation ? handlings[operation] : handlingOf(request.mti);
    if (count) this.#counts[count] += 1;
    const verdict =
      strangerOf(request, inclination) ??
      formOf(operations, request, note) ??
      (operation ? this.#carryOut(operation, request, inclination, note) : { refused: '12' });
    const answered = 'refused' in verdict ? this.#refused(request, operation, kind, verdict, note) : verdict;
    if (kind === 'request' && answered.code === '00') this.#counts.approvals += 1;
    return { kind, reply: this.#reply(request, answered), findings, mismatched: answered.forced === true };
  }

  clear(): void {
    this.books.clear();
    this.#online.clear();
    this.#settlements.clear();
    this.#numbers = new Numbers(this.#seed);
    this.#counts = { ...noCounts };
  }

  #carryOut(
    operation: OperationName,
    request: Message,
    inclination: Inclination,
    note: (finding: string) => void,
  ): Verdict | Refusal {
    const { declineVoids, refuseReversals, duplicates } = inclination;
    switch (operation) {
      case 'sale':
      case 'auth':
      case 'refund':
        return this.#online.present(operation, request, inclination, note);
      case 'void':
      case 'void of a refund':
        return this.#online.void(operation, request, { decline: declineVoids, duplicates }, note);
      case 'reversal':
        return refuseReversals === undefined ? this.#online.reverse(request) : { refused: refuseReversals };
      case 'offline sale':
      case 'completion':
      case 'tip adjust':
        return this.#advices.take(operation, request, inclination, note);
      case 'settlement':
        return this.#settlements.compare(request, inclination);
      case 'upload':
        return this.#settlements.upload(request, inclination);
      case 'trailer':
        return this.#settlements.trailer(request, inclination, note);
      case 'echo':
        return { code: '00' };
      default:
        return operation satisfies never;
    }
  }

  /** A declined payment is kept with a reference number; a reversal or a settlement is not. */
  #refused(
    request: Message,
    operation: OperationName | undefined,
    kind: AnsweredKind,
    { refused: code, finding, field55 }: Refusal,
    note: (finding: string) => void,
  ): Verdict {
    if (finding !== undefined) note(finding);
    if (kind !== 'request' && kind !== 'advice') return { code };
    const stamp = this.#stamp();
    const text = (field: number): string => request.fields.get(field) ?? '';
    const name = (operation ?? 'unknown').toUpperCase().replaceAll(' ', '_');
    const { at, rrn } = stamp;
    this.books.decline({ stan: text(11), rrn, kind: name, responseCode: code, tid: text(41), at });
    return { code, stamp, ...(field55 !== undefined && { fields: new Map([[55, field55]]) }) };
  }

  #unknown(request: Message, findings: string[]): Answered {
    findings.push(`a message of type ${request.mti}`);
    const kind = 'other';
    // The third digit is the function: even is a request, odd an answer (ISO 8583:1987, message type identifier).
    if (Number(request.mti.charAt(2)) % 2 === 1) return { kind, findings, mismatched: false };
    return { kind, reply: this.#reply(request, { code: '12' }), findings, mismatched: false };
  }

  #stamp(): Stamp {
    const at = this.#now();
    const local = hongKongTime(at);
    return { at: at.toISOString(), time: local.time, date: local.date, rrn: this.#numbers.rrn(local) };
  }

  #reply(request: Message, { code, stamp, fields: extra = new Map() }: Verdict): Message {
    const { time, date } = stamp ?? hongKongTime(this.#now());
    const fields = new Map<number, string>([[39, code], ...extra]);
    // The answer to an upload has no time.
    if (!request.mti.startsWith('03')) fields.set(12, time).set(13, date);
    if (stamp) fields.set(37, stamp.rrn);
    for (const field of echoed) {
      const value = request.fields.get(field);
      // A partial approval has its own amount.
      if (value !== undefined && !extra.has(field)) fields.set(field, value);
    }
    return { mti: answerType(request.mti), fields };
  }
}

function handlingOf(mti: string): Handling {
  return { kind: kindsOfType.get(mti.slice(0, 3)) ?? 'other' };
}

/** 0200 → 0210, 0401 → 0410: the next function; the last digit is the origin, where odd is a repeat. */
function answerType(mti: string): string {
  const origin = Number(mti.charAt(3));
  return `${mti.slice(0, 2)}${Number(mti.charAt(2)) + 1}${origin - (origin % 2)}`;
}
