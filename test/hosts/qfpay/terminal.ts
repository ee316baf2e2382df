import { readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { qfpayHost } from '../../../src/hosts/qfpay/host.ts';
import type { QfpayOptions } from '../../../src/hosts/qfpay/options.ts';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import type {
  PresentedOrder,
  ScannedOrder,
  WalletHost,
  WalletRefundOrder,
} from '../../../src/payment/contracts/wallet-host.ts';
import type { TerminalRecognition } from '../../../src/payment/contracts/terminal-recognition.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { wallets } from '../../support/wallets.ts';
import { ScriptedHost } from './scripted-host.ts';

export const connectTimeoutMs = 10_000;
export const replyTimeoutMs = 30_000;
export const queryLagMs = 60_000;
export const deadline = { timeout: 10_000 };

interface RequestFixture {
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly SHA256: string;
  readonly body: string;
}

type RequestName = 'scanned' | 'presented' | 'enquiry' | 'refund' | 'reversal' | 'close';

/** fixtures/messages/qfpay.json */
export interface QfpayFixture {
  readonly signatures: readonly {
    readonly parameters: Readonly<Record<string, string>>;
    readonly key: string;
    readonly SHA256: string;
    readonly MD5: string;
  }[];
  readonly payTypes: Readonly<Record<'presented' | 'scanned', Readonly<Record<string, string>>>>;
  readonly respcd: Readonly<Record<string, readonly string[]>>;
  readonly cancel: Readonly<Record<string, readonly string[]>>;
  readonly codes: { readonly all: string };
  readonly answerSignatures: {
    readonly key: string;
    readonly vectors: readonly {
      readonly what: string;
      readonly body: string;
      readonly SHA256: string;
      readonly MD5: string;
    }[];
  };
  readonly requests: Readonly<Record<RequestName, RequestFixture>> & { readonly key: string };
}

export const fixture = JSON.parse(
  readFileSync(new URL('../../../fixtures/messages/qfpay.json', import.meta.url), 'utf8'),
) as QfpayFixture;

/** The key of the published signature example. */
export const clientKey = fixture.requests.key;

const order = {
  tradeNo: '01JGFJJZ00ABCDEFGHJKMNPQRS-000123',
  amount: { minor: 3000n, currency: 'HKD' },
  at: new Date('2026-01-15T02:15:30Z'),
} as const;

/** The published example of an Alipay code. */
export const authCode = '289431869362714645';
export const scannedOrder: ScannedOrder = { ...order, scheme: 'ALIPAY', authCode };
export const presentedOrder: PresentedOrder = { ...order, scheme: 'ALIPAY' };
export const refundOrder: WalletRefundOrder = { ...order, originalNumber: '20260115000200020088888888' };

/** The published answer to a payment, about this order. */
export const approval = {
  respcd: '0000',
  resperr: '交易成功',
  respmsg: 'OK',
  pay_type: '800108',
  out_trade_no: order.tradeNo,
  syssn: '20260115000300020081074842',
  txamt: '3000',
  txcurrcd: 'HKD',
  txdtm: '2026-01-15 10:15:30',
  sysdtm: '2026-01-15 10:15:31',
  udid: '12345678',
  chnlsn: '4200000384202601153585006133',
};

export const approved = {
  kind: 'approved',
  hostNumber: '20260115000300020081074842',
  walletNumber: '4200000384202601153585006133',
  hostTime: '101531',
  hostDate: '0115',
} as const;

/** An HTTP answer with a JSON body, or with `content` as it stands. */
export function httpAnswer(content: unknown, headers: readonly string[] = [], status = '200 OK'): string {
  const body = typeof content === 'string' ? content : JSON.stringify(content);
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  return [`HTTP/1.1 ${status}`, 'Content-Type: application/json', length, ...headers, '', body].join('\r\n');
}

export interface Bench {
  readonly host: ScriptedHost;
  readonly clock: ManualClock;
  readonly acquirer: WalletHost;
  /** What the host has said of this terminal so far, oldest first. */
  readonly recognitions: readonly TerminalRecognition[];
}

/** A terminal and its host at `path`, closed again after the test. It is noon of January 15th in Hong Kong. */
export async function bench(t: TestContext, options: Partial<QfpayOptions> = {}, path = ''): Promise<Bench> {
  const host = await ScriptedHost.listen();
  t.after(() => host.close());
  const clock = new ManualClock();
  clock.pass(Date.UTC(2026, 0, 15, 4) - clock.now().getTime());
  const recognitions: TerminalRecognition[] = [];
  const onRecognition = (recognition: TerminalRecognition) => recognitions.push(recognition);
  const acquirer = qfpayHost({ ...optionsFor(host.port, path), ...options }, { clock, onRecognition });
  t.after(() => acquirer.stop());
  return { host, clock, acquirer, recognitions };
}

export function optionsFor(port: number, path = ''): QfpayOptions {
  return {
    id: acquirerId('QR'),
    url: `http://127.0.0.1:${port}${path}`,
    appCode: 'TESTAPPCODE',
    clientKey,
    mchid: 'ZaMVg12345',
    tid: '12345678',
    wallets,
    connectTimeoutMs,
    replyTimeoutMs,
    queryLagMs,
  };
}

/** What an order comes to when the host answers it so. */
export async function answeredWith<Outcome>(
  { host }: Pick<Bench, 'host'>,
  outcome: Promise<Outcome>,
  answer: unknown,
  headers: readonly string[] = [],
): Promise<Outcome> {
  const side = await host.accepted();
  await side.request();
  await side.write(httpAnswer(answer, ['Connection: close', ...headers]));
  return outcome;
}
