import type { PosAnswer, PosCallName, PosCaller, PosCalls } from '../../../src/pos/contracts/pos-calls.ts';
import { JsonNumber } from '../../../src/pos/contracts/pos-calls.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface Asked {
  readonly call: PosCallName;
  readonly request: Fields;
  readonly caller: PosCaller;
}

/** A transaction as the script has it: what an enquiry and a repeat are answered. */
export interface Entry {
  readonly fields: Fields;
  answer: PosAnswer;
}

/** The calls of a terminal that books what a test lets it, and remembers each identity for good. */
export class ScriptedCalls {
  readonly asked: Asked[] = [];
  readonly entries = new Map<string, Entry>();
  /** The outcome of the next payments; success after them. */
  readonly outcomes: (Fields | Promise<Fields> | 'refused' | 'settled')[] = [];
  readonly #heard = new Set<() => void>();
  #ids = 0;

  /** All calls, each kept. */
  get calls(): PosCalls {
    const answers: Readonly<Partial<Record<PosCallName, (request: Fields) => Promise<PosAnswer>>>> = {
      payment: (request) => this.#pay(request),
      enquiry: async (request) => this.#enquire(request),
      capabilities: async () => answerOf(200, { collectTimeoutSeconds: { default: 120, min: 10, max: 600 } }),
      cancel: async () => answerOf(404, { responseResult: 'NOT_FOUND', financialImpact: 'NONE' }),
      receipt: async () => answerOf(200, { responseResult: 'SUCCESS' }),
      printReport: async () => answerOf(200, { responseResult: 'SUCCESS' }),
    };
    const handler = {
      get: (_target: object, name: PosCallName) => (request: Fields, caller: PosCaller) => {
        this.asked.push({ call: name, request, caller });
        for (const heard of this.#heard) heard();
        return this.overridden[name]?.(request) ?? answers[name]?.(request) ?? Promise.reject(new Error(name));
      },
    };
    return new Proxy({}, handler) as PosCalls;
  }

  /** Replaces answers. */
  readonly overridden: Partial<Record<PosCallName, (request: Fields) => Promise<PosAnswer>>> = {};

  of(call: PosCallName): readonly Fields[] {
    return this.asked.filter((each) => each.call === call).map(({ request }) => request);
  }

  /** Resolves once a call was asked so often. */
  async askedTimes(call: PosCallName, count: number): Promise<void> {
    while (this.of(call).length < count) await new Promise<void>((resolve) => this.#heard.add(resolve));
  }

  /** What was begun: each identity once, however often it was asked for. */
  get begun(): readonly Fields[] {
    return [...this.entries.values()].map(({ fields }) => fields);
  }

  /** What has succeeded, of this kind. */
  succeeded(transactionType: string): readonly Fields[] {
    return [...this.entries.values()]
      .filter(({ answer }) => (answer.body as Fields)['responseResult'] === 'SUCCESS')
      .map(({ fields }) => fields)
      .filter((fields) => fields['transactionType'] === transactionType);
  }

  async #pay(request: Fields): Promise<PosAnswer> {
    const identity = identityOf(request);
    const known = this.entries.get(identity);
    const same = known && textOf(known.fields) === textOf(request);
    if (known && !same) return answerOf(409, { responseResult: 'ALREADY_EXISTS', reason: 'messageIdReused' });
    if (known) return known.answer;
    const next = this.outcomes.shift() ?? {};
    if (next === 'refused') return answerOf(409, { responseResult: 'ERROR', reason: 'busy', financialImpact: 'NONE' });
    if (next === 'settled')
      return answerOf(422, { responseResult: 'INVALID_TRANSACTION_STATUS', reason: 'originalSettled' });
    const entry: Entry = { fields: request, answer: answerOf(200, running) };
    this.entries.set(identity, entry);
    const outcome = await next;
    entry.answer = answerOf(200, { ...this.#success(request), ...outcome });
    return entry.answer;
  }

  #success(request: Fields): Fields {
    const id = `T${++this.#ids}`;
    const amount = request['requestAmount'];
    const total = amount instanceof JsonNumber ? Number(amount.source) : this.#totalOf(request);
    return {
      responseResult: 'SUCCESS',
      posId: request['posId'],
      messageId: request['messageId'],
      terminalTransactionId: id,
      ...('posReference' in request ? { posReference: request['posReference'] } : {}),
      transactionResult: {
        totalAmount: total,
        currency: 'HKD',
        createTime: '2026-11-29T09:00:00.000+08:00',
        paymentMethod: 'VISA',
        entryMode: 'CONTACTLESS',
        tranType: request['transactionType'],
        tranStatus: 'APPROVED',
        originalTerminalTransactionId: request['originalTerminalTransactionId'] ?? '',
        rrn: '000123456789',
        maskedPan: '476173******0119',
        acquirerMid: 'M1',
        acquirerTid: 'T1',
        batch: 1,
        trace: 2,
      },
    };
  }

  #totalOf(request: Fields): unknown {
    const { answer } = this.#byId(String(request['originalTerminalTransactionId'])) ?? {};
    const { transactionResult } = (answer?.body ?? {}) as { transactionResult?: { totalAmount?: number } };
    return transactionResult?.totalAmount ?? 0;
  }

  #enquire(request: Fields): PosAnswer {
    const id = request['terminalTransactionId'];
    const entry = id === undefined ? this.entries.get(identityOf(request)) : this.#byId(id as string);
    if (!entry)
      return answerOf(404, { responseResult: 'NOT_FOUND', reason: 'transactionUnknown', financialImpact: 'NONE' });
    return this.#withRefunds(entry, String(id ?? (entry.answer.body as Fields)['terminalTransactionId']));
  }

  /** A payment reports what was refunded of it. */
  #withRefunds({ answer }: Entry, id: string): PosAnswer {
    const refunds = [...this.entries.values()].filter(
      (each) =>
        each.fields['originalTerminalTransactionId'] === id &&
        (each.answer.body as Fields)['responseResult'] === 'SUCCESS',
    );
    if (refunds.length === 0) return answer;
    const body = answer.body as { transactionResult: Fields };
    const sums = refunds.map(
      (each) => (each.answer.body as { transactionResult: { totalAmount: number } }).transactionResult,
    );
    const refundedAmount = sums.reduce((sum, { totalAmount }) => sum + totalAmount, 0);
    return { ...answer, body: { ...body, transactionResult: { ...body.transactionResult, refundedAmount } } };
  }

  #byId(id: string): Entry | undefined {
    return [...this.entries.values()].find(({ answer }) => (answer.body as Fields)['terminalTransactionId'] === id);
  }
}

const running = { responseResult: 'PROCESSING', reason: 'transactionRunning', financialImpact: 'UNKNOWN' };

export const declined = {
  responseResult: 'DECLINED',
  reason: 'insufficientFunds',
  financialImpact: 'NONE',
  text: { en: 'The card was declined.' },
};
export const open = {
  responseResult: 'ERROR',
  reason: 'outcomeUnknown',
  financialImpact: 'UNKNOWN',
  text: { en: 'The outcome is not known yet.' },
};
export const reversed = { ...open, reason: 'noAnswer', financialImpact: 'REVERSED' };
export const cancelledByPos = {
  responseResult: 'TRANSACTION_ALREADY_CANCEL',
  reason: 'cancelledByPos',
  financialImpact: 'NONE',
};

export function answerOf(status: number, body: Fields): PosAnswer {
  return { status, body };
}

function identityOf({ posId, messageId }: Fields): string {
  return JSON.stringify([posId, messageId]);
}

/** Amounts by their digits. */
function textOf(fields: Fields): string {
  return JSON.stringify(
    Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)),
    (_key, value: unknown) => (value instanceof JsonNumber ? value.source : value),
  );
}
