import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bodyOf, type Content, type EcrClient } from './ecr-client.ts';
import type { Notice } from './notice-server.ts';

/** The parts of a payment line, an order and a method that Odoo's script uses. */
export interface Line {
  readonly uuid: string;
  readonly amount: number;
  readonly payment_method_id: { readonly id: number };
  readonly create_date: string;
  readonly pos_order_id: { readonly refunded_order_id?: { readonly payment_ids: readonly Line[] } };
  status: string;
  transaction_id?: string;
  payment_ref_no?: string;
  setPaymentStatus(status: string): void;
  handlePaymentResponse(isPaid: boolean): void;
}

interface Script {
  sendPaymentRequest(uuid: string): Promise<boolean>;
  sendPaymentCancel(order: object, uuid: string): Promise<boolean>;
  handleQFPayStatusResponse(data: { response: Notice; line_uuid: string }): Promise<void>;
}

type ScriptClass = new (pos: object, method: object) => Script;

export const odooOrigin = 'https://odoo.example';
const method = { id: 2, name: 'Card', qfpay_terminal_ip_address: '127.0.0.1', qfpay_payment_type: 'card_payment' };
const session = 7;

/** What stands in for the rest of Odoo. `globalThis.odooScript` is the class that the script registers. */
const stubs: Readonly<Record<string, string>> = {
  '@web/core/l10n/translation': 'export const _t = (text) => text;',
  '@web/core/confirmation_dialog/confirmation_dialog': 'export class AlertDialog {}',
  '@web/core/registry':
    'export const registry = { category: () => ({ add: (_name, made) => { globalThis.odooScript = made; } }) };',
  '@point_of_sale/app/services/pos_store':
    'export const register_payment_method = (_name, made) => { globalThis.odooScript = made; };',
  '@point_of_sale/app/utils/payment/payment_interface': `export class PaymentInterface {
    constructor(...parts) { this.setup(...parts); }
    setup(pos, method) { this.pos = pos; this.env = pos.env; this.payment_method_id = method; }
    async sendPaymentRequest() {}
    async sendPaymentCancel() {}
  }`,
};

/** A moment at noon of the same day: the script refuses refunds of other days. */
const luxon = {
  DateTime: {
    now: () => ({ setZone: () => ({ hour: 12, hasSame: () => true }) }),
    fromISO: () => ({ setZone: () => ({}) }),
  },
};

/** Odoo's own script for QFPay terminals, from a checkout (addons/pos_qfpay/static/src/app). */
export async function loadScript(checkout: string): Promise<ScriptClass> {
  const folder = path.join(checkout, 'addons/pos_qfpay/static/src/app');
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const stub = stubs[specifier];
      if (stub !== undefined) return { url: `data:text/javascript,${encodeURIComponent(stub)}`, shortCircuit: true };
      if (specifier === './qfpay')
        return { url: pathToFileURL(path.join(folder, 'qfpay.js')).href, shortCircuit: true };
      return next(specifier, context);
    },
    load(url, context, next) {
      return url.startsWith(pathToFileURL(folder).href)
        ? next(url, { ...context, format: 'module' })
        : next(url, context);
    },
  });
  try {
    Object.assign(globalThis, { luxon });
    await import(pathToFileURL(path.join(folder, 'payment_qfpay.js')).href);
  } finally {
    hooks.deregister();
  }
  const { odooScript } = globalThis as unknown as { odooScript: ScriptClass };
  return odooScript;
}

/** A till of Odoo: the browser with its script, and the server's part of signing and of the webhook. */
export class OdooTill {
  readonly dialogs: string[] = [];
  /** Status codes of the calls, newest last. */
  readonly calls: string[] = [];
  readonly lines: Line[] = [];
  readonly #key: string;
  readonly #made: ScriptClass;
  readonly #client: EcrClient;
  #script: Script;

  constructor(made: ScriptClass, client: EcrClient, key: string) {
    this.#made = made;
    this.#key = key;
    this.#client = client;
    this.#script = this.#open();
    const others = globalThis.fetch;
    const own = 'https://127.0.0.1:9001/';
    Object.assign(globalThis, {
      fetch: (url: string, init: RequestInit) => (url.startsWith(own) ? this.#fetch(url, init) : others(url, init)),
    });
  }

  /** The page is loaded again: the promises are lost, the lines stay. */
  reload(): void {
    this.#script = this.#open();
  }

  line(uuid: string, amount: number, refunded?: Line): Line {
    const line: Line = {
      uuid,
      amount,
      payment_method_id: { id: method.id },
      create_date: '2026-11-29T04:00:00Z',
      pos_order_id: refunded ? { refunded_order_id: { payment_ids: [refunded] } } : {},
      status: 'pending',
      setPaymentStatus: (status) => (line.status = status),
      handlePaymentResponse: (isPaid) => (line.status = isPaid ? 'done' : 'retry'),
    };
    this.lines.push(line);
    return line;
  }

  /** The cashier presses Send. */
  async send(line: Line): Promise<boolean> {
    this.lines.push(...this.lines.splice(this.lines.indexOf(line), 1));
    line.status = 'waiting';
    const isPaid = await this.#script.sendPaymentRequest(line.uuid);
    line.status = isPaid ? 'done' : 'retry';
    return isPaid;
  }

  /** The cashier cancels: the line goes to retry at once. */
  async cancel(line: Line): Promise<void> {
    assert.equal(await this.#script.sendPaymentCancel({}, line.uuid), true);
    line.status = 'retry';
  }

  /** The webhook of Odoo's server: the payment's number has three parts, and names line, session and method. */
  hear(notice: Notice): Promise<void> {
    const number = notice['orig_out_trade_no'] ?? notice['out_trade_no'] ?? '';
    const [uuid = '', ofSession, ofMethod, ...more] = number.split('--');
    assert.deepEqual([ofSession, ofMethod, more], [String(session), String(method.id), []]);
    return this.#script.handleQFPayStatusResponse({ response: notice, line_uuid: uuid });
  }

  #open(): Script {
    const orm = {
      call: async (model: string, name: string, [id, payload]: [number, Content]) => {
        assert.deepEqual([model, name, id], ['pos.payment.method', 'qfpay_sign_request', method.id]);
        return JSON.parse(bodyOf(payload, this.#key, 'odoo')) as string;
      },
    };
    const dialog = { add: (_kind: unknown, { body }: { body: string }) => void this.dialogs.push(body) };
    const pos = {
      env: { services: { orm, dialog } },
      getOrder: () => {
        const line = this.lines.at(-1);
        return { session_id: { id: session }, getSelectedPaymentline: () => line, ...line?.pos_order_id };
      },
      getPendingPaymentLine: () => this.lines.findLast(({ status }) => status.startsWith('waiting')),
    };
    return new this.#made(pos, method);
  }

  /** What a browser does: it asks first, and shows the answer only if the terminal allows the page's origin. */
  async #fetch(url: string, { method: verb = '', headers, body }: RequestInit) {
    const { pathname } = new URL(url);
    assert.equal(verb, 'POST');
    const name = pathname.replace('/api/pos/', '');
    const preflight = await this.#client.post(name, '', {
      method: 'OPTIONS',
      Origin: odooOrigin,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'content-type',
      'Access-Control-Request-Private-Network': 'true',
    });
    assert.equal(preflight.headers['access-control-allow-origin'], odooOrigin);
    assert.match(String(preflight.headers['access-control-allow-methods']), /POST/);
    const sent = { ...(headers as Record<string, string>), Origin: odooOrigin, 'Sec-Fetch-Site': 'cross-site' };
    const { status, headers: answered, text } = await this.#client.post(name, body as string, sent);
    assert.equal(answered['access-control-allow-origin'], odooOrigin);
    const json = JSON.parse(text) as { respcd: string };
    this.calls.push(`${name} ${json.respcd}`);
    return { status, ok: status === 200, json: async () => json };
  }
}
