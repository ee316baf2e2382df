import type { TestContext } from 'node:test';
import { iso8583Acquirer, type Iso8583Config } from '../../../src/hosts/iso8583/host.ts';
import type { LateAnswer } from '../../../src/payment/contracts/late-answer.ts';
import { acquirerId, type TraceNumbers } from '../../../src/base/domain/identifiers.ts';
import type {
  AcquirerHost,
  CardAtHand,
  CardReference,
  OnlineOrder,
  OriginalReference,
  ReversalOrder,
} from '../../../src/payment/contracts/acquirer-host.ts';
import type { EmvData } from '../../../src/base/ports/card-reader.ts';
import type { TerminalRecognition } from '../../../src/payment/contracts/terminal-recognition.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { ScriptedHost } from './scripted-host.ts';

export const replyTimeoutMs = 30_000;
export const connectTimeoutMs = 10_000;

export const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));

/** The chip data of the sample sale in fixtures/messages, an object a line. */
const chipData = [
  ['9F26', '7A788EA6B8A3E733'],
  ['9F27', '80'],
  ['9F10', '06011203A0B800'],
  ['9F37', '52BF4585'],
  ['9F36', '001C'],
  ['95', '8000048000'],
  ['9A', '260825'],
  ['9C', '00'],
  ['9F02', '000000003000'],
  ['5F2A', '0344'],
  ['82', '1800'],
  ['9F1A', '0344'],
  ['9F03', '000000000000'],
  ['9F33', 'E0F8C8'],
  ['9F34', '420300'],
  ['9F35', '22'],
  ['84', 'A0000000031010'],
] as const;

/** The same, reversed, with objects that no host is to get: the order on the wire is the dialect's. */
export const emv: EmvData = new Map<string, Uint8Array>([
  ['50', bytes('56495341')],
  ['9B', bytes('0000')],
  ['5F34', bytes('01')],
  ...chipData.toReversed().map(([tag, value]) => [tag, bytes(value)] as const),
]);

export const trace: TraceNumbers = { stan: 123, invoice: 45, batch: 1 };

/** The card as later messages name it. */
export const cardReference: CardReference = {
  entryMode: 'CONTACTLESS',
  panSequenceNumber: '01',
  ksn: bytes('FFFF9876543210E00001'),
  encryptedPan: bytes('D1D2D3D4D5D6D7D8E1E2E3E4E5E6E7E8'),
};

export const cardAtHand: CardAtHand = {
  ...cardReference,
  emv,
  encryptedTrack2: bytes('A1A2A3A4A5A6A7A8B1B2B3B4B5B6B7B8C1C2C3C4C5C6C7C8'),
};

export type PresentedOrder = Extract<OnlineOrder, { card: CardAtHand }>;

export const saleOrder: PresentedOrder = {
  operation: 'sale',
  trace,
  amount: { minor: 3000n, currency: 'HKD' },
  card: cardAtHand,
};

export const reversalOrder: ReversalOrder = {
  operation: 'sale',
  trace,
  amount: { minor: 3000n, currency: 'HKD' },
  card: cardReference,
};

/** The sale as its host answered it: what a void, a tip adjust, a completion or an upload refers to. */
export const original: OriginalReference = {
  trace,
  amount: { minor: 3000n, currency: 'HKD' },
  rrn: '623710000123',
  approvalCode: 'A1B2C3',
  hostTime: '101530',
  hostDate: '0825',
};

export interface Bench {
  readonly host: ScriptedHost;
  readonly clock: ManualClock;
  readonly acquirer: AcquirerHost;
  /** Late answers so far, oldest first. */
  readonly late: readonly LateAnswer[];
  /** Resolves with the next late answer. */
  readonly nextLate: () => Promise<LateAnswer>;
  /** What the host has said of this terminal so far, oldest first. */
  readonly recognitions: readonly TerminalRecognition[];
}

/** A terminal and its host, closed again after the test. */
export async function bench(
  t: TestContext,
  config: Partial<Iso8583Config> = {},
  options: Pick<Parameters<typeof iso8583Acquirer>[1], 'keyCounter' | 'onNumbers'> = {},
): Promise<Bench> {
  const host = await ScriptedHost.listen();
  t.after(() => host.close());
  const clock = new ManualClock();
  const late: LateAnswer[] = [];
  const recognitions: TerminalRecognition[] = [];
  const waiting: ((answer: LateAnswer) => void)[] = [];
  const acquirer = iso8583Acquirer(
    {
      id: acquirerId('EDC'),
      host: '127.0.0.1',
      port: host.port,
      tid: '12345678',
      mid: '123456789012345',
      nii: '003',
      tpdu: '6000030000',
      timeZone: 'Asia/Hong_Kong',
      connectTimeoutMs,
      replyTimeoutMs,
      ...config,
    },
    {
      ...options,
      clock,
      onLate: (answer) => {
        late.push(answer);
        waiting.shift()?.(answer);
      },
      onRecognition: (recognition) => recognitions.push(recognition),
    },
  );
  t.after(() => acquirer.close());
  return { host, clock, acquirer, late, recognitions, nextLate: () => new Promise((resolve) => waiting.push(resolve)) };
}

/** What a late answer says without being asked whose it is. */
export function summaryOf({ acquirerId: acquirer, mti, stan, rrn, responseCode, isOurs, reversing }: LateAnswer) {
  return { acquirerId: acquirer, mti, stan, rrn, responseCode, isOurs, reversing };
}

export interface AnswerBytes {
  readonly mti?: string;
  readonly processingCode?: string;
  readonly amount?: string;
  readonly stan?: string;
  readonly nii?: string;
  readonly tid?: string;
  /** Field 38 and its bit are left out when empty. */
  readonly approvalCode?: string;
  readonly responseCode?: string;
}

export const text = (value: string) => Buffer.from(value, 'latin1').toString('hex').toUpperCase();

/** Message bytes behind the length and TPDU that a host sends. */
export function framed(...message: string[]): string {
  const content = ['6000000003', ...message].join('');
  return (content.length / 2).toString(16).toUpperCase().padStart(4, '0') + content;
}

/** An answer like the sample 0210 in fixtures/messages, without chip data: fields 3 4 11 12 13 24 37 (38) 39 41. */
export function answerFrame(answer: AnswerBytes = {}): string {
  const { mti = '0210', processingCode = '000000', amount = '000000003000', stan = '000123' } = answer;
  const { nii = '003', tid = '12345678', approvalCode = 'A1B2C3', responseCode = '00' } = answer;
  return framed(
    mti,
    `30380100${approvalCode ? '0E' : '0A'}800000`,
    processingCode,
    amount,
    stan,
    '1015300825',
    `0${nii}`,
    text('623710000123'),
    text(approvalCode),
    text(responseCode),
    text(tid),
  );
}

/** The answer to a settlement or its trailer: fields 3 11 12 13 24 39 41. */
export function settlementAnswer(answer: AnswerBytes = {}): string {
  const { processingCode = '920000', stan = '000130', responseCode = '00', tid = '12345678' } = answer;
  return framed('0510', '2038010002800000', processingCode, stan, '1015300825', '0003', text(responseCode), text(tid));
}

/** The answer to a message of a batch upload: fields 3 11 24 39 41. */
export function uploadAnswer(answer: AnswerBytes = {}): string {
  const { processingCode = '000001', stan = '000132', responseCode = '00', tid = '12345678' } = answer;
  return framed('0330', '2020010002800000', processingCode, stan, '0003', text(responseCode), text(tid));
}
