import type { Iso8583Host } from '../host/iso8583/host.ts';
import type { CustomerOutcome, QfpayHost } from '../host/qfpay/host.ts';
import { hostMode, walletAnswer, walletCode, walletHostMode, walletPay } from './bodies.ts';
import { readBody } from './body.ts';
import { HttpError } from './http-error.ts';
import type { BenchParts } from './parts.ts';
import { patiently } from './patience.ts';
import { type Handler, type Methods, sendJson } from './reply.ts';

/** The hosts, their books, and the phones that pay by wallet. '*' stands for the host's name. */
export function hostRoutes({ hosts, wallets }: BenchParts): [string, Methods][] {
  const named = (id: string): Iso8583Host | QfpayHost => {
    const host = hosts.get(id) ?? wallets.get(id);
    if (!host) throw new HttpError(404, `no such host; there are ${[...hosts.keys(), ...wallets.keys()].join(', ')}`);
    return host;
  };
  const mode: Handler = async (request, response, id) => {
    const host = named(id);
    try {
      const wallet = wallets.get(id);
      if (wallet) await wallet.setMode(await readBody(request, walletHostMode));
      else await hosts.get(id)?.setMode(await readBody(request, hostMode));
    } catch (error) {
      throw error instanceof RangeError ? new HttpError(400, error.message) : error;
    }
    sendJson(response, host.state());
  };
  const settlements: Handler = (_, response, id) => {
    named(id);
    // A wallets' host settles by its books on the next day.
    sendJson(response, hosts.get(id)?.settlements() ?? []);
  };
  return [
    ['/api/host/*', { POST: mode }],
    ['/api/host/*/ledger', { GET: (_, response, id) => sendJson(response, named(id).ledger()) }],
    ['/api/host/*/settlements', { GET: settlements }],
    ...phoneRoutes(wallets),
  ];
}

function phoneRoutes(wallets: BenchParts['wallets']): [string, Methods][] {
  const [host] = wallets.values();
  if (!host) return [];
  /** Runs the customer's action on the phone as soon as it is possible. */
  const customer = async (holdMs: number, act: () => CustomerOutcome): Promise<CustomerOutcome> => {
    let outcome = act();
    await patiently(host, holdMs, () => {
      if (!outcome.done) outcome = act();
      return outcome.done;
    });
    return outcome;
  };
  const paid: Handler = async (request, response) => {
    const { qr, holdMs } = await readBody(request, walletPay);
    sendOutcome(await customer(holdMs, () => host.pay(qr === undefined ? {} : { qr })), response);
  };
  const answered =
    (act: () => CustomerOutcome): Handler =>
    async (request, response) => {
      const { holdMs } = await readBody(request, walletAnswer);
      sendOutcome(await customer(holdMs, act), response);
    };
  const code: Handler = async (request, response) => {
    const { wallet } = await readBody(request, walletCode);
    sendJson(response, { code: refused(() => host.walletCode(wallet)) });
  };
  return [
    ['/api/wallet/pay', { POST: paid }],
    ['/api/wallet/code', { POST: code }],
    ['/api/wallet/confirm', { POST: answered(() => host.confirm()) }],
    ['/api/wallet/refuse', { POST: answered(() => host.refuse()) }],
  ];
}

/** An unknown wallet is the caller's mistake. */
function refused<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw error instanceof RangeError ? new HttpError(400, error.message) : error;
  }
}

function sendOutcome(outcome: CustomerOutcome, response: Parameters<typeof sendJson>[0]): void {
  if (!outcome.done) throw new HttpError(409, outcome.why);
  sendJson(response, outcome.order);
}
