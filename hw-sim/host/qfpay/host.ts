import { Findings, type Unexpected, upperHex } from '../../findings.ts';
import { type OpenTap, openNoTap } from '../../wires/tap.ts';
import { SwitchedPort } from '../switched-port.ts';
import { Aggregator, type RequestCounts } from './aggregator.ts';
import { answerPassword, type CustomerOutcome, payCode } from './customer.ts';
import { Listener } from './listener.ts';
import { checkMode, type QfpayHostMode } from './mode.ts';
import { ledgerEntry, type QfpayLedgerEntry } from './order.ts';
import { Outlet } from './outlet.ts';
import { refusedByCustomer } from './respcd.ts';
import { Service } from './service.ts';
import type { Wallet } from './wallet.ts';

export type { CustomerOutcome } from './customer.ts';
export {
  answerSignatureNames,
  customerNames,
  outcomeNames,
  type QfpayHostMode,
  queryTimeNames,
  signTypes,
  unknownOrderCodes,
} from './mode.ts';
export type { QfpayLedgerEntry } from './order.ts';
export { readWallets } from './wallet-file.ts';
export type { Wallet } from './wallet.ts';

/** Test credentials: the key is the one of the published signature example, the app code is invented. */
export const testAppCode = 'D0DE0000000000000000000000000001';
export const testClientKey = 'abcd1234';

export interface QfpayHostOptions {
  /** Name of this host: QR. */
  readonly id: string;
  readonly appCode?: string;
  readonly clientKey?: string;
  /** The merchant's `mchid`. If set, every request must carry it; otherwise none may. */
  readonly mchid?: string;
  /** The wallets of this merchant besides the usual ones. */
  readonly wallets?: readonly Wallet[];
  /** 0 or nothing: any free port, which is then kept. */
  readonly port?: number;
  readonly host?: '127.0.0.1';
  /** Seed of codes and garbage; 1 by default. */
  readonly seed?: number;
  readonly now?: () => Date;
  /** Hears each connection. */
  readonly openTap?: OpenTap;
}

/** The code on show that a phone can scan. */
export interface CodeOnShow {
  readonly qr: string;
  readonly wallet: string;
  readonly tradeNo: string;
  readonly amountMinor: string;
  /** ISO 8601, UTC. */
  readonly expiresAt: string;
}

/** A wallet that customers have on their phones. */
export interface WalletState {
  readonly code: string;
  readonly name: string;
  /** Its phones show codes to be scanned. */
  readonly showsCode: boolean;
}

export interface QfpayHostState extends QfpayHostMode, RequestCounts {
  readonly id: string;
  readonly port: number;
  readonly listening: boolean;
  readonly connections: number;
  /** The newest unpaid code that a terminal was given. */
  readonly onShow: CodeOnShow | null;
  /** `out_trade_no` of the sale whose customer is asked for a password. */
  readonly askedForPassword: string | null;
  readonly wallets: readonly WalletState[];
  /** How many entries `unexpected` has. */
  readonly unexpected: number;
}

/**
 * A QR wallet host: QFPay's public HTTP API as fixtures/README.md describes it, with books, and every kind of failure
 * on request.
 */
export class QfpayHost {
  readonly id: string;
  readonly #aggregator: Aggregator;
  readonly #findings: Findings;
  readonly #listener: Listener;
  readonly #outlet: Outlet;
  readonly #switched: SwitchedPort<QfpayHostMode>;

  constructor(options: QfpayHostOptions) {
    const {
      id,
      appCode = testAppCode,
      clientKey = testClientKey,
      mchid,
      seed = 1,
      now = () => new Date(),
      wallets = [],
    } = options;
    this.id = id;
    this.#aggregator = new Aggregator({ seed, now, mchid, wallets });
    this.#outlet = new Outlet(this.#aggregator.numbers);
    this.#findings = new Findings({
      now,
      entriesMax: 500,
      toHex: (bytes) => (bytes.includes('auth_code') ? '' : upperHex(512)(bytes)),
    });
    const service = new Service({
      aggregator: this.#aggregator,
      outlet: this.#outlet,
      credentials: { appCode, key: clientKey },
      mode: () => this.#switched.mode,
      record: (why, bytes) => this.#record(why, bytes),
      changed: () => this.#changed(),
    });
    this.#listener = new Listener(options.host ?? '127.0.0.1', options.port ?? 0, {
      onRequest: (request, response) => {
        // RFC 9110, 6.6.1: the time of the answer, by the host's clock.
        response.setHeader('date', this.#aggregator.clock.now().toUTCString());
        void service.take(request, response);
      },
      onMalformed: (why, bytes) => this.#record(why, bytes),
      onConnections: () => this.#changed(),
      openTap: options.openTap ?? openNoTap,
    });
    this.#switched = new SwitchedPort<QfpayHostMode>({
      id,
      listener: this.#listener,
      up: { mode: 'up' },
      check: checkMode,
      onMode: (mode) => {
        service.begin();
        this.#aggregator.clock.set(mode);
      },
    });
  }

  /** Opens the port and tells which it is. Rejects with the system's error (EADDRINUSE) if it can't. */
  listen(): Promise<number> {
    return this.#switched.listen();
  }

  /** The port once it was opened; it stays the same through `down` and `up`. */
  get port(): number {
    return this.#listener.port;
  }

  /** Rejects with RangeError for an unknown mode, and if the port was taken in the meantime. */
  setMode(mode: QfpayHostMode): Promise<void> {
    return this.#switched.setMode(mode);
  }

  state(): QfpayHostState {
    const { orders, counts, wallets } = this.#aggregator;
    return {
      ...this.#switched.mode,
      id: this.id,
      port: this.#listener.port,
      listening: this.#listener.listening,
      connections: this.#listener.connections,
      ...counts,
      onShow: this.#onShow(),
      askedForPassword: orders.newestWaiting('password')?.tradeNo ?? null,
      wallets: wallets.all.map(({ code, name, scanned }) => ({ code, name, showsCode: scanned !== undefined })),
      unexpected: this.#findings.list.length,
    };
  }

  /** Every order, oldest first. A request that was refused before it became an order is not included. */
  ledger(): QfpayLedgerEntry[] {
    return this.#aggregator.orders.all().map((order) => ledgerEntry(order, this.#aggregator.clock));
  }

  get unexpected(): readonly Unexpected[] {
    return this.#findings.list;
  }

  /** The customer scans the code and pays: the newest that a terminal was given, or the one of this text. */
  pay({ qr }: { readonly qr?: string } = {}): CustomerOutcome {
    return this.#done(payCode(this.#aggregator.orders, this.#aggregator.clock, qr));
  }

  /** The customer opens the wallet app. Returns a code to be scanned, valid for one attempt. Throws RangeError. */
  walletCode(wallet: string): string {
    return this.#aggregator.phones.show(wallet);
  }

  /** The customer enters the requested password. */
  confirm(): CustomerOutcome {
    return this.#done(answerPassword(this.#aggregator.orders, this.#aggregator.clock, undefined));
  }

  /** The customer refuses the requested password. */
  refuse(): CustomerOutcome {
    return this.#done(answerPassword(this.#aggregator.orders, this.#aggregator.clock, refusedByCustomer));
  }

  /** Resets to: empty books, no findings, mode up, no delayed answers. Connections stay open. */
  async reset(): Promise<void> {
    await this.#switched.reset();
    this.#aggregator.clear();
    this.#findings.clear();
    this.#outlet.dropWaiting();
    this.#changed();
  }

  async close(): Promise<void> {
    this.#outlet.dropWaiting();
    await this.#switched.close();
  }

  /** Calls back after every change of books, connections, mode or findings, until the returned function is called. */
  onChange(listener: () => void): () => void {
    return this.#switched.onChange(listener);
  }

  #onShow(): CodeOnShow | null {
    const sale = this.#aggregator.orders.newestWaiting('scan');
    if (!sale?.code) return null;
    const { wallet, tradeNo, amountMinor, code } = sale;
    return {
      qr: code.text,
      wallet,
      tradeNo,
      amountMinor: amountMinor.toString(),
      expiresAt: code.expiresAt.toISOString(),
    };
  }

  #done(outcome: CustomerOutcome): CustomerOutcome {
    if (outcome.done) this.#changed();
    return outcome;
  }

  #record(why: string, bytes?: Buffer): void {
    this.#findings.record(why, bytes);
    this.#changed();
  }

  #changed(): void {
    this.#switched.changed();
  }
}
