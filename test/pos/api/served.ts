import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import type { TestContext } from 'node:test';
import { Access, type AccessRules } from '../../../src/pos/api/access.ts';
import { openPosCalls } from '../../../src/pos/api/open-pos-calls.ts';
import type { ApiParts } from '../../../src/pos/api/call.ts';
import { EventStream } from '../../../src/pos/api/event-stream.ts';
import { noteReasons } from '../../support/reported-reasons.ts';
import type { Reprints } from '../../../src/pos/api/reprints.ts';
import { noCounter } from '../../support/no-counter.ts';
import { type ApiServerOptions, serveApi } from '../../../src/pos/api/server.ts';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import type { AnswerShape } from '../../../src/payment/events/accepted.ts';
import type { JournalledSettlement } from '../../../src/payment/events/settlement.ts';
import type { PaymentRequest, SettlementRequest } from '../../../src/payment/terminal/request.ts';
import type {
  CancelAnswer,
  EnquiryAnswer,
  NotFound,
  PayAnswer,
  SettleAnswer,
} from '../../../src/payment/terminal/answers.ts';
import { type Equipment, terminalCapabilitiesOf } from '../../payment/transaction/terminal-capabilities.ts';
import type { AcquirerProfile } from '../../../src/payment/transaction/acquirer-profile.ts';
import type { RecordTree } from '../../../src/payment/records/transaction-status.ts';
import type { TipTerms } from '../../../src/options/tip/offers.ts';
import { tipOption } from '../../../src/options/tip/option.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { octopusLimits } from '../../../src/base/ports/octopus-reader.ts';
import { WaitingCalls } from '../../../src/pos/api/waiting-calls.ts';
import { ReadingTurns } from '../../../src/payment/terminal/reading-turns.ts';

// Answers are read as the tests find them: an absent field fails its assertion.
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

export const shop = {
  name: 'Harbour Tea House',
  address: '1 Pier Road, Hong Kong',
  phone: '',
  email: 'tea@example.com',
  logo: '',
};

export const profiles: readonly AcquirerProfile[] = [
  { id: acquirerId('EDC'), brands: ['VISA', 'MASTER', 'AMEX', 'JCB'] },
  { id: acquirerId('CUP'), brands: ['UNIONPAY'] },
];

/** A card reader and nothing beside it. */
export const bare: Equipment = { scanner: false, pinPad: false };

/** A terminal that takes every method of SPEC §1. */
export const everyMethod = {
  profiles: [
    ...profiles,
    { id: acquirerId('EPS'), brands: ['EPS'] },
    {
      id: acquirerId('QR'),
      brands: ['ALIPAY', 'WECHAT', 'FPS', 'UPI_QR'],
      scanned: ['ALIPAY', 'WECHAT', 'UPI_QR'],
      presented: ['ALIPAY', 'WECHAT', 'FPS'],
      // The host gives no FPS payment back.
      lacking: { FPS: ['REFUND', 'VOID_SALE', 'VOID_REFUND'] },
    },
    { id: acquirerId('OCTOPUS'), brands: ['OCTOPUS'], limits: octopusLimits },
    { id: acquirerId('CASH'), brands: ['CASH'] },
  ],
  equipment: { scanner: true, pinPad: true },
} as const satisfies { profiles: readonly AcquirerProfile[]; equipment: Equipment };

export const scriptless = { kind: 'notReady', reason: 'deviceAbsent', message: 'the script has no answer' } as const;

/** A terminal that answers what the test says, and keeps what it was asked. */
export class ScriptedTerminal {
  readonly paid: PaymentRequest[] = [];
  settlementEnquired: JournalledSettlement | 'running' | undefined;
  readonly settlementsAsked: { posId: string; messageId: string }[] = [];
  readonly asked: { call: 'enquire' | 'cancel'; posId: string; messageId: string }[] = [];
  payAnswer: () => Promise<PayAnswer> = async () => scriptless;
  enquiryAnswer: EnquiryAnswer = { kind: 'notFound' };
  cancelAnswer: CancelAnswer = { kind: 'notFound' };
  settleAnswer: SettleAnswer = scriptless;
  readonly settled: SettlementRequest[] = [];
  recalled: RecordTree | undefined;
  readonly recalls: string[] = [];
  #onPaid: (() => void)[] = [];

  pay(request: PaymentRequest): Promise<PayAnswer> {
    this.paid.push(request);
    for (const heard of this.#onPaid.splice(0)) heard();
    return this.payAnswer();
  }

  /** Resolves once the `count`th payment has been asked for. */
  async paidTimes(count: number): Promise<void> {
    while (this.paid.length < count) await new Promise<void>((resolve) => this.#onPaid.push(resolve));
  }

  async settle(request: SettlementRequest): Promise<SettleAnswer> {
    this.settled.push(request);
    return this.settleAnswer;
  }

  async recall(id: string): Promise<RecordTree | undefined> {
    this.recalls.push(id);
    return this.recalled;
  }

  notFound(): NotFound {
    return this.enquiryAnswer.kind === 'notFound' ? this.enquiryAnswer : { kind: 'notFound' };
  }

  async enquire(posId: string, messageId: string): Promise<EnquiryAnswer> {
    this.asked.push({ call: 'enquire', posId, messageId });
    return this.enquiryAnswer;
  }

  /** Whose the id is that was asked for. */
  identity: { posId: string; messageId: string } | undefined;
  readonly identitiesAsked: string[] = [];

  async identityOf(id: string): Promise<{ posId: string; messageId: string } | undefined> {
    this.identitiesAsked.push(id);
    return this.identity;
  }

  async enquireSettlement(posId: string, messageId: string): Promise<JournalledSettlement | 'running' | undefined> {
    this.settlementsAsked.push({ posId, messageId });
    return this.settlementEnquired;
  }

  async cancel(posId: string, messageId: string): Promise<CancelAnswer> {
    this.asked.push({ call: 'cancel', posId, messageId });
    return this.cancelAnswer;
  }
}

export interface Served {
  readonly terminal: ScriptedTerminal;
  readonly port: number;
  readonly failures: unknown[];
  /** Hung up when the test ends. */
  readonly clients: Set<{ destroy(): unknown }>;
  close(): Promise<void>;
  /** One request on a connection of its own; `body` goes out as it is. */
  call(call: Call): Promise<HttpAnswer>;
  /** A SALE of 30 HKD, with `fields` over it; `undefined` leaves a field out. */
  pay(fields?: Json): Promise<HttpAnswer>;
}

export interface Call {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
  /** The parsed text; undefined where there is none. */
  readonly json: Json;
}

export const sale = {
  posId: 'POS-1',
  messageId: 'M-1',
  transactionType: 'SALE',
  requestAmount: 30,
  currency: 'HKD',
} as const;

export const collectTimes = { usualMs: 120_000, leastMs: 10_000, mostMs: 600_000 } as const;

export interface ServedOptions
  extends Partial<
    Pick<
      ApiServerOptions,
      | 'timeouts'
      | 'clock'
      | 'turns'
      | 'bodyBytesMax'
      | 'tls'
      | 'limits'
      | 'pipelinedMax'
      | 'refusalsMax'
      | 'authenticator'
    >
  > {
  readonly access?: Partial<AccessRules>;
  readonly shape?: AnswerShape;
  readonly status?: () => Promise<unknown>;
  readonly reprints?: Reprints;
  readonly lists?: ApiParts['lists'];
  readonly reports?: ApiParts['reports'];
  readonly reportsAll?: NonNullable<ApiParts['reportsAll']>;
  readonly counter?: ApiParts['counter'];
  readonly profiles?: readonly AcquirerProfile[];
  readonly equipment?: Equipment;
  readonly tips?: TipTerms;
  readonly cardNumbers?: 'refuse' | 'print';
  readonly pictures?: ApiParts['pictures'];
}

export const noReprints: Reprints = {
  fault: undefined,
  slip: () => ['a line', 'another'],
  print: async () => 'no-printer',
  text: async () => '',
  png: async () => new Uint8Array(),
  html: async () => '',
};

/** A terminal that has taken nothing. */
export const noLists: ApiParts['lists'] = { page: async () => ({ items: [] }), acquirers: async () => [] };

/** A terminal whose batches are empty. */
export const noReports: ApiParts['reports'] = { read: async () => [] };

export const printParts = { shop, reprints: noReprints };

/** The API on a free port over a scripted terminal. Closed when the test ends. */
export async function served(
  t: TestContext,
  {
    access,
    shape = 'A',
    status,
    reprints,
    lists,
    reports,
    reportsAll,
    counter,
    tips,
    cardNumbers,
    pictures,
    ...options
  }: ServedOptions = {},
) {
  const terminal = new ScriptedTerminal();
  const failures: unknown[] = [];
  const server = await serveApi({
    host: '127.0.0.1',
    port: 0,
    bodyBytesMax: 65_536,
    ...options,
    access: new Access({ hostnames: [], origins: [], networks: [], ...access }),
    calls: openPosCalls({
      parts: {
        terminal,
        waiting: new WaitingCalls(),
        pictures: pictures ?? new ReadingTurns(),
        lists: lists ?? noLists,
        reports: reports ?? noReports,
        ...(reportsAll ? { reportsAll } : {}),
        capabilities: {
          ...terminalCapabilitiesOf(options.profiles ?? profiles, options.equipment ?? bare),
          options: [tipOption({ terms: tips, timeoutMs: 60_000 })],
        },
        collectTimes,
        shop,
        answerFor: () => ({ shape, printedBy: shape === 'B' ? 'pos' : 'terminal' }),
        reprints: reprints ?? noReprints,
        counter: counter ?? noCounter,
        ...(cardNumbers ? { cardNumbers } : {}),
        status: status ?? (async () => ({ responseResult: 'SUCCESS', responseCode: 0 })),
      },
      isPairingRequired: options.authenticator !== undefined,
      onFailure: (error) => failures.push(error),
    }),
    events: new EventStream(new ManualClock()),
    onFailure: (error) => failures.push(error),
  });
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= server.close());
  const clients = new Set<{ destroy(): unknown }>();
  t.after(() => {
    // A client that is gone keeps nothing waiting, also where the script has no answer for it.
    for (const client of clients) client.destroy();
    return close();
  });
  const call = (each: Call) => sent(server.port, each);
  const pay = (fields: Json = {}) => call({ body: JSON.stringify({ ...sale, ...fields }) });
  return { terminal, port: server.port, failures, clients, close, call, pay } satisfies Served;
}

async function sent(
  port: number,
  { method = 'POST', path = '/sp/v1/payment', headers, body }: Call,
): Promise<HttpAnswer> {
  const chunked = headers !== undefined && 'transfer-encoding' in headers;
  const length = body === undefined || chunked ? {} : { 'content-length': Buffer.byteLength(body) };
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const outgoing = httpRequest({
    host: '127.0.0.1',
    port,
    method,
    path,
    agent: false,
    headers: { ...type, ...length, ...headers },
  });
  const responded = once(outgoing, 'response');
  outgoing.end(body);
  const [response] = (await responded) as [IncomingMessage];
  const text = Buffer.concat(await response.toArray()).toString();
  const isJson = String(response.headers['content-type']).startsWith('application/json');
  const json: Json = text && isJson ? JSON.parse(text) : undefined;
  // A transaction's own is what the script says.
  if (json?.terminalTransactionId === undefined) noteReasons(json);
  return { status: response.statusCode ?? 0, headers: response.headers, text, json };
}
