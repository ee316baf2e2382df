import type { Dice } from '../dice.ts';
import type { Log } from '../log.ts';
import type { VirtualTime } from '../virtual-time.ts';
import type { HostClock } from './clock.ts';
import { accounts, presentedCode } from './code.ts';
import { formOf, type HttpAnswer, type HttpRequest } from './http.ts';
import { politeWallet } from './manners.ts';
import { WalletBooks, type WalletEntry } from './orders.ts';
import { digestOf, signedFields } from './signing.ts';

type Form = ReadonlyMap<string, string>;
type Fields = Readonly<Record<string, unknown>> & { readonly respcd: string };

/** The merchant's credentials; the terminal has the same. */
export const credentials = { appCode: 'A6A49A6646D24A2E9F3C', clientKey: '0E32A59A8B454940A2FF39' };

/** Default lifetime of a code on show: if the terminal does not give one, or its wallet has no such field. */
const expiryMs = 30 * 60_000;
const noWordYet = ['1295', '1296', '1298', '1252', '1254'];
/** `txamt`, Int(11). */
const amountMax = 99_999_999_999n;

const wallets: Readonly<Record<string, 'FPS' | 'UPI_QR' | 'other'>> = { '802001': 'FPS', '800701': 'UPI_QR' };
/** "Supported payment flows and PayTypes" of the reversal's page; /close is for the others that can be ended. */
const reversible = ['800101', '801501', '800201', '800108', '800208'];

/**
 * A wallet host, written from QFPay's public pages (sdk.qfapi.com: payment, enquiry, reversal, refund, status codes,
 * signature). Its books and its clock are independent of the terminal's.
 */
export class WalletServer {
  readonly books: WalletBooks;
  manners = politeWallet;
  /** Carries out a refund however long it was on its way, unless its number was ended. */
  takesOldRefunds = false;
  /** Called when the customer can pay. */
  onWaiting: (entry: WalletEntry) => void = () => undefined;
  /** Called when an order has ended, and was not paid a moment later. */
  onClosed: (entry: WalletEntry) => void = () => undefined;
  readonly #time: VirtualTime;
  readonly #clock: HostClock;
  readonly #dice: Dice;
  readonly #log: Log;
  readonly #refused = new Set<string>();
  /** Orders that were ended before they arrived. */
  readonly #ended = new Set<string>();
  #numbers = 0;

  constructor(time: VirtualTime, clock: HostClock, dice: Dice, log: Log) {
    this.books = new WalletBooks(() => time.elapsedMs);
    this.#time = time;
    this.#clock = clock;
    this.#dice = dice;
    this.#log = log;
  }

  /** The customer pays on the phone. */
  paid(entry: WalletEntry): void {
    if (entry.state !== 'waiting') return;
    this.books.becomes(entry, 'paid', '0000');
    this.#log.push(`customer: pays the order ${entry.tradeNo.slice(10)} on the phone`);
  }

  /** Carries a request out that was on the wire for `ageMs`, and returns the answer. */
  answer({ method, path, headers, body }: HttpRequest, onTheWayMs: number): HttpAnswer {
    const form = formOf(body);
    const call = /^\/trade\/v1\/(payment|query|refund|reversal|close)$/.exec(path)?.[1];
    if (method !== 'POST' || call === undefined) throw new Error(`${method} ${path} is no call of this host`);
    const type = headers.get('x-qf-signtype') === 'SHA256' ? 'SHA256' : 'MD5';
    const signature = digestOf(signedFields(form, credentials.clientKey), type);
    if (headers.get('x-qf-appcode') !== credentials.appCode || headers.get('x-qf-sign') !== signature) {
      throw new Error(`a ${call} that is not signed as published`);
    }
    const unsure = this.#dice.odds(this.manners.unsure);
    // A host without a decision may have carried the request out or not.
    const fields = unsure && this.#dice.odds(50) ? undefined : this.#carriedOut(call, form, onTheWayMs);
    const reported = fields && !unsure ? fields : { respcd: this.#dice.of(noWordYet) };
    const truth = unsure ? `, in truth ${fields?.respcd ?? 'not carried out'}` : '';
    this.#log.push(`QR host: ${call} ${form.get('out_trade_no')?.slice(10)} -> ${reported.respcd}${truth}`);
    return this.#signed({ resperr: '', respmsg: '', ...reported });
  }

  #carriedOut(call: string, form: Form, onTheWayMs: number): Fields {
    switch (call) {
      case 'payment':
        return this.#payment(form, onTheWayMs);
      case 'query':
        return this.#query(form);
      case 'refund':
        return this.#refund(form, onTheWayMs);
      default:
        return this.#endedBy(call, form);
    }
  }

  #payment(form: Form, onTheWayMs: number): Fields {
    const tradeNo = form.get('out_trade_no') ?? '';
    const { duplicate, currencies, declines, asks } = this.manners;
    if (this.books.entries.has(tradeNo)) return { respcd: duplicate };
    if (this.#isOver(tradeNo, onTheWayMs)) return { respcd: '1142' };
    const amountMinor = BigInt(form.get('txamt') ?? '0');
    if (amountMinor > amountMax || amountMinor <= 0n) return { respcd: '1104' };
    if (!currencies.includes(form.get('txcurrcd') ?? '')) return { respcd: '1104' };
    const declined = this.#dice.odds(declines);
    if (form.has('auth_code')) {
      if (declined) return this.#answerTo(this.#entered(form, 'declined', '1201'));
      if (!this.#dice.odds(asks)) return this.#answerTo(this.#entered(form, 'paid', '0000'));
      const entry = this.#entered(form, 'waiting', this.#dice.of(['1143', '1145']));
      this.onWaiting(entry);
      return this.#answerTo(entry);
    }
    // No code is shown then, so a repeated order can't be paid either.
    if (declined) this.#refused.add(tradeNo);
    if (this.#refused.has(tradeNo)) return { respcd: '1241' };
    const entry = this.#entered(form, 'waiting', '1143');
    const minutes = Number(form.get('expired_time') ?? '0') * 60_000;
    this.#time.in(minutes || expiryMs, () => {
      if (entry.state === 'waiting') this.books.becomes(entry, 'expired', '1181');
    });
    this.onWaiting(entry);
    return { ...this.#answerTo(entry), respcd: '0000', qrcode: codeOf(entry) };
  }

  /** Searches lagging books in a window of the host's time; by default the current month (enquiry page). */
  #query(form: Form): Fields {
    const { lagMs, refusesEmptyInterval, noSuchOrder } = this.manners;
    const [from, to] = [form.get('start_time'), form.get('end_time')];
    if (from !== undefined && to !== undefined && from > to && refusesEmptyInterval) return { respcd: '1104' };
    const month = this.#clock.text.slice(0, 7);
    const within = ({ sysdtm }: WalletEntry) =>
      from === undefined && to === undefined
        ? sysdtm.startsWith(month)
        : (from === undefined || sysdtm >= from) && (to === undefined || sysdtm <= to);
    const names = form.get('out_trade_no')?.split(',') ?? [];
    const numbers = form.get('syssn')?.split(',') ?? [];
    const rows = [...this.books.entries.values()]
      .filter(({ tradeNo, number }) => names.includes(tradeNo) || numbers.includes(number))
      // The system's number finds an order whatever its month (enquiry page, before 2023).
      .filter((entry) => numbers.includes(entry.number) || within(entry))
      .flatMap((entry) => this.#row(entry, lagMs));
    if (rows.length === 0 && this.#dice.odds(10)) return { respcd: noSuchOrder };
    return { respcd: '0000', data: rows };
  }

  #row(entry: WalletEntry, lagMs: number): Fields[] {
    const then = this.books.asOf(entry, lagMs);
    if (!then) return [];
    const given = this.books.givenBackMinor(entry, lagMs);
    const whole = given >= entry.amountMinor ? '3' : '5';
    const ended = then.state === 'closed' ? (entry.of ? '1' : '2') : '0';
    return [
      {
        ...this.#answerTo(entry),
        respcd: then.respcd,
        order_type: entry.of ? 'refund' : 'payment',
        cancel: given > 0n ? whole : ended,
        ...(entry.of ? { origssn: entry.of.number } : {}),
      },
    ];
  }

  #endedBy(call: string, form: Form): Fields {
    const { noSuchOrder, remembersClosing, endsAll } = this.manners;
    const tradeNo = form.get('out_trade_no') ?? '';
    const entry = this.books.entries.get(tradeNo) ?? this.books.numbered(form.get('syssn') ?? '');
    if (!entry) {
      if (!remembersClosing) return { respcd: noSuchOrder };
      this.#ended.add(tradeNo);
      return { respcd: this.#dice.of(['0000', noSuchOrder]) };
    }
    if (BigInt(form.get('txamt') ?? '0') !== entry.amountMinor) return { respcd: '1266' };
    if (form.get('txdtm') !== entry.txdtm) return { respcd: '1267' };
    if (entry.of) return this.#refundEnded(entry, call);
    switch (entry.state) {
      case 'paid':
        return { respcd: this.books.givenBackMinor(entry) >= entry.amountMinor ? '1262' : '1260' };
      case 'closed':
        return { respcd: this.#dice.of(['1142', '1264', '1263']) };
      case 'expired':
        return { respcd: '1181' };
      case 'declined':
        return { respcd: noSuchOrder };
      case 'waiting':
        break;
      default:
        return entry.state satisfies never;
    }
    if (call === 'reversal' && !endsAll && !reversible.includes(entry.payType)) return { respcd: '1101' };
    // "If respcd=1143 or 1145, the reversal is in progress": the customer may be quicker.
    if (this.#dice.odds(20)) {
      this.#time.in(this.#dice.between(500, 8_000), () => {
        if (entry.state === 'waiting') this.#closes(entry);
      });
      return { ...this.#answerTo(entry), respcd: this.#dice.of(['1143', '1145']) };
    }
    this.#closes(entry);
    return { ...this.#answerTo(entry), respcd: '0000' };
  }

  #closes(entry: WalletEntry): void {
    this.books.becomes(entry, 'closed', '1142');
    // A transfer takes a route of its own, so it crosses the closing more often than another payment.
    const postsLate = entry.payType === '802001' ? this.manners.postsLate * 2 : this.manners.postsLate;
    if (!this.#dice.odds(postsLate)) return this.onClosed(entry);
    this.#time.in(this.#dice.between(100, 5_000), () => {
      this.#log.counted('wallet order paid after it was closed');
      this.paidAfterClosing(entry);
    });
  }

  paidAfterClosing(entry: WalletEntry): void {
    if (entry.state !== 'closed') return;
    entry.unreported = true;
    this.books.becomes(entry, 'paid', '0000');
  }

  /** Takes a refund back by a reversal on its own day: assumed (fixtures/README.md). */
  #refundEnded(refund: WalletEntry, call: string): Fields {
    if (call !== 'reversal') return { respcd: '1101' };
    if (refund.state === 'closed') return { respcd: '1142' };
    if (refund.state !== 'paid') return { respcd: this.manners.noSuchOrder };
    if (!this.manners.takesBackRefunds) return { respcd: '1260' };
    this.books.becomes(refund, 'closed', '1142');
    return { ...this.#answerTo(refund), respcd: '0000' };
  }

  #refund(form: Form, onTheWayMs: number): Fields {
    const { duplicate, refundAgain, noSuchOrder } = this.manners;
    const tradeNo = form.get('out_trade_no') ?? '';
    if (this.books.entries.has(tradeNo)) return { respcd: refundAgain === 'duplicate' ? duplicate : refundAgain };
    if (this.#isOver(tradeNo, this.takesOldRefunds ? 0 : onTheWayMs)) return { respcd: '1142' };
    const original = this.books.numbered(form.get('syssn') ?? '');
    if (!original || original.of) return { respcd: noSuchOrder };
    if (original.state !== 'paid') return { respcd: '1261' };
    if (original.payType === '802001') return { respcd: '1155' };
    const amountMinor = BigInt(form.get('txamt') ?? '0');
    const given = this.books.givenBackMinor(original);
    if (given === original.amountMinor) return { respcd: this.#dice.of(['1125', '1262']) };
    if (given + amountMinor > original.amountMinor) return { respcd: '1272' };
    const entry = this.#entered(form, 'paid', '0000', original);
    return { ...this.#answerTo(entry), orig_syssn: original.number };
  }

  #isOver(tradeNo: string, onTheWayMs: number): boolean {
    const { remembersClosing, refusesAfterMs } = this.manners;
    if (this.#ended.has(tradeNo)) return true;
    if (remembersClosing || onTheWayMs < refusesAfterMs || refusesAfterMs === 0) return false;
    this.#log.counted('wallet order too old to be taken');
    return true;
  }

  #entered(form: Form, state: WalletEntry['state'], respcd: string, of?: WalletEntry): WalletEntry {
    const number = `${this.#clock.text.replaceAll(/\D/g, '')}${String((this.#numbers += 1)).padStart(10, '0')}`;
    return this.books.enter({
      tradeNo: form.get('out_trade_no') ?? '',
      number,
      amountMinor: BigInt(form.get('txamt') ?? '0'),
      currency: of?.currency ?? form.get('txcurrcd') ?? '',
      payType: of?.payType ?? form.get('pay_type') ?? '',
      txdtm: form.get('txdtm') ?? '',
      sysdtm: this.#clock.text,
      state,
      respcd,
      ...(of ? { of } : {}),
    });
  }

  #answerTo(entry: WalletEntry): Fields {
    const { amountMinor } = entry;
    return {
      syssn: entry.number,
      out_trade_no: entry.tradeNo,
      txamt: this.manners.amountsAsNumbers ? Number(amountMinor) : amountMinor.toString(),
      txcurrcd: entry.currency,
      pay_type: entry.payType,
      txdtm: entry.txdtm,
      sysdtm: entry.sysdtm,
      chnlsn: entry.state === 'paid' ? `W${entry.number}` : '',
      respcd: entry.respcd,
    };
  }

  #signed(fields: Fields): HttpAnswer {
    const body = JSON.stringify(fields);
    const { signs, digest } = this.manners;
    const { clientKey } = credentials;
    // No page says how the rows of an enquiry are signed by their fields.
    const isList = Array.isArray(fields['data']);
    const signature =
      signs === 'body'
        ? digestOf(body + clientKey, digest)
        : digestOf(signedFields(dataFields(fields), clientKey), digest);
    const date = this.manners.dates ? { Date: this.#clock.httpDate } : {};
    const isSigned = signs === 'body' || (signs === 'fields' && !isList);
    const headers = isSigned ? { 'X-QF-SIGN': signature, 'X-QF-SIGNTYPE': digest } : {};
    return {
      status: 200,
      headers: { 'Content-Type': 'application/json', ...date, ...headers },
      body,
    };
  }
}

/** The `data` fields of the response page. Here an answer without `data` counts as a whole. */
function dataFields(fields: Fields): [string, string][] {
  const { data = fields } = fields;
  return Object.entries(data as object).map(([name, value]) => [name, String(value)]);
}

function codeOf({ payType, tradeNo, amountMinor, currency }: WalletEntry): string {
  const kind = wallets[payType] ?? 'other';
  return kind === 'other' ? `https://qr.example/${tradeNo}` : presentedCode(accounts[kind], amountMinor, currency);
}
