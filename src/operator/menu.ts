import { majorText } from '../base/domain/amount.ts';
import type { LineSecurity } from '../base/domain/line-security.ts';
import type { MenuPort, MenuAnswer, MenuView } from '../payment/contracts/operator-menu.ts';
import type { TerminalEvent, TerminalEvents } from '../payment/contracts/terminal-events.ts';
import { type OpenDiscrepancy, openDiscrepancies } from '../payment/records/discrepancies.ts';
import { auditDetail } from './audit.ts';
import {
  writeBankSettlement,
  writeBatchDecision,
  writeCashReturn,
  writeCustomerSettlement,
  writeSetAside,
} from './decisions.ts';
import { openMatters } from './customer-matters.ts';
import { callOf, isDone, posId } from './menu-call.ts';
import { countExtraPayments } from './extra-payments.ts';
import { answerWith } from './answer-with.ts';
import { done, refuse } from './menu-answer.ts';
import type { MenuParts } from './menu-parts.ts';
import { type MenuAsked, type AuditedRequest, menuRequest, type MenuRequest, isReading } from './menu-request.ts';
import { openDrawer, printTest } from './machine.ts';
import { answerReading } from './reading.ts';
import { rightsOf } from './rights.ts';
import { countHeldUp, printReceipt, printSettlement } from './receipts.ts';
import { Session } from './session.ts';
import { describeSettlement } from './settled.ts';
import { refundRefusal } from './unlinked-refund.ts';
import { countWaiting, listUnsettledBatches } from './waiting-count.ts';

/** The operator's menu on the idle screen. Every function asks for the password first. */
export class OperatorMenu implements MenuPort, TerminalEvents {
  readonly #parts: MenuParts;
  readonly #session: Session;
  readonly #listeners: (() => void)[] = [];
  /** The changes since the journal was read. */
  #since: 'nothing' | 'payment' | 'settlement' = 'nothing';
  #operator = false;
  #stopped = false;
  #receipts: number | undefined;
  #extraPayments = 0;
  #customerMatters = 0;
  #discrepancies: readonly OpenDiscrepancy['kind'][] = [];
  #unsettled: MenuView['unsettled'] & object = [];
  #waiting: MenuView['waiting'] = { reversals: 0, advices: 0, rejected: 0, unsendable: 0, batches: 0 };

  constructor(parts: MenuParts) {
    this.#parts = parts;
    this.#session = new Session(parts.clock, parts.random, () => parts.pairing?.close());
  }

  get view(): MenuView {
    const { version, fingerprint, pairing, currency } = this.#parts;
    const unknownTo = this.#parts.unknownTo?.() ?? [];
    const held = this.#parts.held?.() ?? [];
    const lines = [...(this.#parts.lines?.() ?? [])];
    const linesWith = (security: LineSecurity) => lines.flatMap(([id, each]) => (each === security ? [id] : []));
    const [plainLines, undecidedLines] = [linesWith('none'), linesWith('undecided')];
    const booksDiffer = this.#discrepancies.filter((kind) => kind === 'booksDiffer').length;
    return {
      version,
      ...(fingerprint === undefined ? {} : { fingerprint }),
      waiting: this.#waiting,
      notices: this.#parts.notices(),
      ...(this.#extraPayments === 0 ? {} : { extraPayments: this.#extraPayments }),
      ...(this.#customerMatters === 0 ? {} : { customerMatters: this.#customerMatters }),
      ...(booksDiffer === 0 ? {} : { booksDiffer }),
      ...(this.#discrepancies.includes('journalRestored') ? { restored: true } : {}),
      ...(this.#unsettled.length === 0 ? {} : { unsettled: this.#unsettled }),
      ...(unknownTo.length === 0 ? {} : { unknownTo }),
      ...(held.length === 0 ? {} : { held }),
      ...(plainLines.length === 0 ? {} : { plainLines }),
      ...(undecidedLines.length === 0 ? {} : { undecidedLines }),
      ...(this.#receipts === undefined ? {} : { receipts: this.#receipts }),
      operator: this.#operator,
      price: { amount: majorText({ minor: 0n, currency }), currency },
      pairs: pairing !== undefined,
      ...(pairing?.view ? { pairing: pairing.view } : {}),
    };
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Announces a changed view. */
  notifyListeners(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Reads the waiting work, and whether a password is set. Never rejects. */
  async refresh(): Promise<void> {
    const { password, onFailure } = this.#parts;
    this.#since = 'nothing';
    try {
      this.#waiting = await countWaiting(this.#parts);
      this.#unsettled = await listUnsettledBatches(this.#parts);
      this.#receipts = await countHeldUp(this.#parts);
      this.#extraPayments = await countExtraPayments(this.#parts);
      this.#customerMatters = (await openMatters(this.#parts)).length;
      this.#discrepancies = (await openDiscrepancies(this.#parts.journal)).map(({ kind }) => kind);
      this.#operator = await password.isSet();
    } catch (error) {
      if (!this.#stopped) onFailure(error);
    }
    this.notifyListeners();
  }

  look(): void {
    if (this.#since !== 'nothing') void this.refresh();
  }

  /**
   * A till's payment ends the operator's session: the next person at the screen is a customer. After it nothing is read
   * until the menu is opened, because the next payment may begin at once. The operator's own payment returns to the
   * menu.
   */
  emit({ state, posId: owner }: Omit<TerminalEvent, 'at'>): void {
    if (state === 'settling') this.#since = 'settlement';
    else if (state !== 'idle' && owner === posId) this.#since = 'payment';
    else if (state !== 'idle') this.close();
    else if (this.#since === 'settlement') void this.refresh();
    else this.#since = 'payment';
  }

  /** The terminal stops: from now on a closed journal is not reported as a failure. */
  stop(): void {
    this.#stopped = true;
    this.close();
  }

  close(): void {
    this.#session.end();
    this.#parts.pairing?.close();
  }

  async handle(body: unknown): Promise<MenuAnswer> {
    const parsed = menuRequest.safeParse(body);
    if (!parsed.success) return refuse(400, 'malformed');
    try {
      return await this.#answer(parsed.data);
    } catch (error) {
      this.#parts.onFailure(error);
      return refuse(500, 'failed');
    }
  }

  async #answer(asked: MenuRequest): Promise<MenuAnswer> {
    if (asked.kind === 'look') {
      await this.#lookBeforeLogin();
      return done;
    }
    if (asked.kind === 'login') return this.#login(asked.password);
    if (!this.#session.holds(asked.session)) return refuse(401, 'locked');
    if (isReading(asked)) return this.#session.during(() => answerReading(asked, this.#parts));
    const { audit } = this.#parts;
    const step = { session: this.#session.name, action: asked.kind, detail: auditDetail(asked) };
    // Every step must be in the audit record, so a step that can't be recorded is refused.
    await audit.write({ ...step, state: 'asked' });
    const answer = await this.#session.during(() => this.#act(asked));
    await audit.write({ ...step, state: isDone(answer) ? 'done' : 'refused' });
    return answer;
  }

  /** The requests that change something. */
  async #act(asked: AuditedRequest): Promise<MenuAnswer> {
    const { pairing, settle, isIdle } = this.#parts;
    switch (asked.kind) {
      case 'logout':
        this.#session.end();
        return done;
      case 'settle':
        return describeSettlement((await settle(callOf(asked))) as MenuAnswer);
      case 'printReport':
        return this.#parts.printReport(callOf(asked)) as Promise<MenuAnswer>;
      case 'printSettlement':
        return printSettlement(asked.settlement, this.#parts);
      case 'openDrawer':
        return isIdle() ? openDrawer(callOf(asked), this.#parts.machine) : refuse(409, 'busy');
      case 'testPrint':
        return isIdle() ? printTest(callOf(asked), this.#parts.machine) : refuse(409, 'busy');
      case 'act':
        return this.#pay(asked, asked.act, { originalTerminalTransactionId: asked.transaction });
      case 'refund': {
        const refused = refundRefusal(asked, this.#parts.refundRight);
        const { merchantId } = asked;
        if (refused !== undefined) return refuse(409, refused);
        return this.#pay(asked, 'REFUND', merchantId === undefined ? {} : { merchantId });
      }
      case 'printReceipt':
        return printReceipt(asked.transaction, this.#parts);
      case 'setAside':
        return this.#refreshAfter(await writeSetAside(asked, this.#parts));
      case 'givenBackInCash':
        return this.#refreshAfter(await writeCashReturn(asked, this.#session.name, this.#parts));
      case 'settledWithCustomer':
        return this.#refreshAfter(await writeCustomerSettlement(asked, this.#session.name, this.#parts));
      case 'settledWithBank':
        return this.#refreshAfter(await writeBankSettlement(asked, this.#session.name, this.#parts));
      case 'decideBatch': {
        const request = { posId, messageId: this.#messageId() };
        return this.#refreshAfter(await writeBatchDecision(asked, request, this.#parts));
      }
      case 'pair':
        if (!isIdle()) return refuse(409, 'busy');
        pairing?.open();
        return pairing ? done : refuse(409, 'notPaired');
      case 'decide':
        return pairing?.decide(asked.yes, asked.code) ? done : refuse(409, 'over');
      default:
        return asked satisfies never;
    }
  }

  /** Logs in. A refused login also answers 200 with a reason: a wrong password is not a fault of the page. */
  async #login(password: string): Promise<MenuAnswer> {
    const tried = await this.#parts.password.try(password);
    switch (tried.kind) {
      case 'right': {
        if (!this.#parts.isIdle()) return answerWith('login', { reason: 'busy' });
        const session = this.#session.begin();
        await this.#reportLogin('done');
        await this.refresh();
        return answerWith('login', { session, methodNames: this.#parts.methodNames, ...rightsOf(this.#parts) });
      }
      case 'wrong':
        await this.#reportLogin('refused');
        return answerWith('login', { reason: tried.kind, waitMs: tried.waitMs });
      case 'wait':
        return answerWith('login', { reason: tried.kind, waitMs: tried.waitMs });
      case 'none':
        return answerWith('login', { reason: 'noPassword' });
      default:
        return tried satisfies never;
    }
  }

  /**
   * Reads whether a password is set, and the data that a payment may have changed. No more, because this needs no
   * session: longer lists are read again after a login.
   */
  async #lookBeforeLogin(): Promise<void> {
    const wasSet = this.#operator;
    this.#operator = await this.#parts.password.isSet();
    if (this.#operator !== wasSet) this.notifyListeners();
    this.look();
  }

  async #reportLogin(state: 'done' | 'refused'): Promise<void> {
    const session = state === 'done' ? this.#session.name : '';
    await this.#parts.audit.write({ session, action: 'login', state });
  }

  async #refreshAfter(answer: MenuAnswer): Promise<MenuAnswer> {
    // Refreshed after a refusal too: a transaction that has ended in the meantime no longer waits.
    await this.refresh();
    return answer;
  }

  /**
   * The outcome is shown like any other payment's; the answer is that of the POS interface. The same confirmation again
   * is the same payment (I4).
   */
  async #pay(
    { amount, currency, confirmation }: Pick<MenuAsked<'refund'>, 'amount' | 'currency' | 'confirmation'>,
    transactionType: string,
    more: Readonly<Record<string, string>>,
  ): Promise<MenuAnswer> {
    const request = { posId, messageId: confirmation, transactionType, requestAmount: amount, currency, ...more };
    return (await this.#parts.pay(request)) as MenuAnswer;
  }

  #messageId(): string {
    return Buffer.from(this.#parts.random.bytes(16)).toString('hex');
  }
}
