import type { TestContext } from 'node:test';
import { QfpayHost, type QfpayHostMode, type QfpayHostOptions } from '../../../../hw-sim/host/qfpay/host.ts';
import { type Answer, Client, type Fields } from './client.ts';

/** 10:15:30 on 25 August in Hong Kong. */
const start = Date.parse('2026-08-25T02:15:30.000Z');
export const txdtm = '2026-08-25 10:15:28';

export class Clock {
  #ms = start;
  readonly now = () => new Date(this.#ms);

  set(iso: string): void {
    this.#ms = Date.parse(iso);
  }

  advance({ minutes = 0, ms = 0 }: { minutes?: number; ms?: number }): void {
    this.#ms += minutes * 60_000 + ms;
  }
}

export interface Started {
  readonly host: QfpayHost;
  readonly client: Client;
  readonly clock: Clock;
  /** A sale of a code that a phone shows: HKD 30.00 of a fresh Alipay code where nothing else is said. */
  readonly scan: (fields?: Fields) => Promise<Answer>;
  /** A sale of a code to be shown: HKD 30.00 by FPS where nothing else is said. */
  readonly present: (fields?: Fields) => Promise<Answer>;
  /** Refunds a sale by what it was answered. */
  readonly refund: (sale: Pick<Answer, 'body'>, fields?: Fields) => Promise<Answer>;
}

export async function started(
  t: TestContext,
  mode?: QfpayHostMode,
  options: Partial<QfpayHostOptions> = {},
): Promise<Started> {
  const clock = new Clock();
  const host = new QfpayHost({ id: 'QR', now: clock.now, ...options });
  t.after(() => host.close());
  await host.listen();
  if (mode) await host.setMode(mode);
  const client = new Client(() => host.port);
  let number = 0;
  const next = () => `T1-${(++number).toString().padStart(6, '0')}`;
  return {
    host,
    client,
    clock,
    scan: (fields = {}) => {
      const code = fields['auth_code'] ?? host.walletCode('ALIPAY');
      return client.call('payment', {
        ...money(),
        pay_type: '800008',
        out_trade_no: next(),
        ...fields,
        auth_code: code,
      });
    },
    present: (fields = {}) =>
      client.call('payment', { ...money(), pay_type: payTypes.FPS, out_trade_no: next(), ...fields }),
    refund: ({ body }, fields = {}) =>
      client.call('refund', { txamt: '3000', txdtm, syssn: String(body['syssn']), out_trade_no: next(), ...fields }),
  };
}

const money = (): Fields => ({ txamt: '3000', txcurrcd: 'HKD', txdtm });

export const payTypes = { ALIPAY: '801501', WECHAT: '800201', FPS: '802001', UPI_QR: '800701' } as const;
export const scannedPayTypes = { ALIPAY: '800108', WECHAT: '800208', UPI_QR: '800708' } as const;

/** Number, kind, amount and status of every order. */
export const orders = (host: QfpayHost): string[] =>
  host.ledger().map(({ tradeNo, kind, amount, status }) => `${tradeNo} ${kind} ${amount} ${status}`);

export const findings = (host: QfpayHost): string[] => host.unexpected.map(({ why }) => why);
