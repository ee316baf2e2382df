// The actions of the buttons of the operator's menu. Each either opens a panel, or sends a request and opens a panel
// for its answer.
import { actText, sumOf } from './menu-today.js';
import { discrepancyActions } from './menu-discrepancies.js';
import { matterActions } from './menu-matter-actions.js';
import { giveBackText, decidedBatchText, decidedText, waitingRows } from './menu-waiting.js';
import { priceOf } from './menu-parts.js';
import { merchantOf } from './menu-names.js';
import { batchName, netText } from './menu-report.js';
import { part } from './element.js';
/** @import { Actions, BankActions, MachineActions, Menu, ReportActions, TodayActions } from './menu-types.ts' */
/** @import { Asked, Body, MenuRefusal, Kind, ListedDay, Open, Sure, Today, Words } from './types.ts' */

/** Reasons of refusals that the page has words for. */
const reasons = /** @type {const} */ ([
  'busy',
  'tooEarly',
  'notWaiting',
  'endedMeanwhile',
  'batchFull',
  'badAmount',
  'noRefundRight',
  'aboveRefundRight',
]);
const printerReasons = /** @type {const} */ (['paper-out', 'cover-open', 'absent', 'error']);
/** Minutes before and after the time that is searched for. */
const aroundMs = 15 * 60_000;

/**
 * One press of Yes: a request with it is carried out once.
 * @template {{ readonly kind: Kind }} Request
 * @param {Request} body
 * @returns {Request & { confirmation: string }}
 */
function withConfirmation(body) {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return { ...body, confirmation: [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('') };
}

/** @type {(menu: Menu) => Actions} */
export function menuActions({ go, send, login, leave, menu, view, hasSession }) {
  /**
   * The day's list that is open, to come back to.
   * @type {Today | undefined}
   */
  let list;
  /** @type {Set<string>} */
  const posIds = new Set();

  /** @type {(refusal: MenuRefusal, onBack?: () => void) => void} */
  function showRefusal({ reason, text }, onBack) {
    const why = text ? undefined : reasons.find((each) => each === reason);
    go({ place: 'said', what: 'refused', text, why, onBack });
  }

  /** @type {(body: Body<'printReceipt'>, onBack?: () => void) => void} */
  function showPrinted({ reason }, onBack) {
    if (reason === undefined) return go({ place: 'said', what: 'printed', onBack });
    return go({ place: 'said', what: 'notPrinted', why: printerReasons.find((each) => each === reason), onBack });
  }

  /**
   * The texts of the payment interface: it waits for the printer, or is not printed.
   * @type {(answer: MenuRefusal, onBack: () => void) => void}
   */
  function showPrintFault({ text }, onBack) {
    go({ place: 'said', what: 'notPrinted', text, onBack });
  }

  /**
   * Asks, and shows why it was refused.
   * @template {Kind} K
   * @param {Asked<K>} body
   * @param {(body: Body<K>) => void} then
   */
  const read = (body, then) =>
    send(body, (answer) => (answer.refusal ? showRefusal(answer.refusal) : then(answer.body)));

  /**
   * After a payment of the operator: its outcome was already shown on the screen.
   * @template {'act' | 'refund'} K
   * @param {Asked<K>} body
   * @param {() => void} [onBack]
   */
  const pay = (body, onBack) =>
    send(
      body,
      (answer) => {
        if (answer.body?.responseResult === 'SUCCESS') go({ place: 'said', what: 'done', onBack });
        else showRefusal(answer.refusal ?? { text: answer.body.text }, onBack);
      },
      { paying: true },
    );

  /** @type {(question: Sure) => void} */
  const sure = (question) => go({ place: 'sure', ...question });

  /** @type {TodayActions} */
  const today = {
    today(search = {}, { after, before = [] } = {}) {
      const { time, ...asked } = search;
      /** @type {Asked<'today'>} */
      const body = { kind: 'today', ...asked, ...(time === undefined ? {} : around(time)) };
      return read({ ...body, ...(after === undefined ? {} : { after }) }, ({ transactions, next, drawerOpenings }) => {
        for (const { posId } of transactions) posIds.add(posId);
        const all = [...before, ...transactions];
        list = {
          place: 'today',
          search,
          transactions: all,
          next,
          drawerOpenings,
          first: transactions.length === 0 ? 0 : before.length,
        };
        go(list);
      });
    },
    fetchMore: ({ search, next, transactions }) => actions.today(search, { after: next, before: transactions }),
    search: () => go({ place: 'search', posIds: [...posIds] }),
    searchBy: (name) => go({ place: `by-${name}`, posIds: [...posIds] }),
    reopen: (open) => go(open ?? list ?? { place: 'menu' }),
    story: (id) => read({ kind: 'story', transaction: id }, (story) => actions.one(story)),
    one(story) {
      // The list shows the change, too.
      const { id, state, final, refunded } = story;
      /** @type {(each: ListedDay) => ListedDay} */
      const updated = (each) => (each.id === id ? { ...each, state, final, refunded } : each);
      if (list) list = { ...list, transactions: list.transactions.map(updated) };
      go({ place: 'one', story, list });
    },
    lines: (story, first = 0) => go({ place: 'lines', story, list, first }),
    reprint: ({ id }) => actions.printReceipt({ id }, () => actions.story(id)),
    act(story, act) {
      if (act.isWhole) return actions.actSure(story, act, act.amount);
      return act.most === undefined ? go({ place: 'howMuch', story, act }) : actions.actAmount(story, act);
    },
    actAmount: (story, act) => go({ place: 'actAmount', story, act }),
    actSure(story, act, typed) {
      const isTip = act.act === 'TIP_ADJUST';
      const amount = isTip ? sumOf(act.amount, typed) : typed;
      const { id: transaction, currency } = story;
      const body = withConfirmation({ kind: 'act', act: act.act, transaction, amount, currency });
      const shown = isTip ? { amount, tip: typed } : { amount };
      sure({
        kind: act.kind,
        text: (words) => actText(story, act, shown, words),
        onYes: () => pay(body, () => actions.story(transaction)),
        onNo: () => actions.one(story),
      });
    },
  };

  /** @type {BankActions} */
  const bank = {
    bank: () =>
      read({ kind: 'waiting' }, (body) => go({ place: 'waiting', transactions: waitingRows(body), first: 0 })),
    waits: (transaction) => go({ place: 'waits', transaction }),
    partPosted: (transaction) => go({ place: 'partPosted', transaction }),
    decided(transaction, outcome, amount) {
      const text = (/** @type {Words} */ words) => decidedText(transaction, outcome, words, amount);
      const what = outcome === 'POSTED' ? 'aside' : 'asideNot';
      sure({ what, text, onYes: () => actions.setAside(transaction, outcome, amount) });
    },
    setAside({ id }, outcome, amount) {
      const part = amount === undefined ? {} : { amount };
      return read({ kind: 'setAside', transaction: id, outcome, ...part }, () =>
        go({ place: 'said', what: 'asideDone' }),
      );
    },
    extra: (extra) => go({ place: 'extra', extra }),
    giveBackSure(extra) {
      const body = withConfirmation({ kind: 'givenBackInCash', transaction: extra.id });
      const text = (/** @type {Words} */ words) => giveBackText(extra, words);
      const given = () => go({ place: 'said', what: 'givenBackDone', onBack: actions.bank });
      sure({ what: 'giveBack', text, onYes: () => read(body, given), onNo: () => actions.extra(extra) });
    },
    ...matterActions({ go, sure, read, pay, withConfirmation }, () => actions),
    ...discrepancyActions({ go, sure, read, pay, withConfirmation }, () => actions),
    batch: (batch) => go({ place: 'batch', batch }),
    decidedBatch(batch, outcome) {
      const text = (/** @type {Words} */ words) => decidedBatchText(batch, outcome, words);
      sure({ what: 'batch', text, onYes: () => actions.decideBatch(batch, outcome) });
    },
    decideBatch({ acquirer, batch, currency }, outcome) {
      const what = outcome === 'SETTLED' ? 'batchDone' : 'batchOpen';
      return read({ kind: 'decideBatch', acquirer, batch, currency, outcome }, () => go({ place: 'said', what }));
    },
  };

  /** @type {ReportActions} */
  const report = {
    xReport: () => read({ kind: 'report' }, (figures) => go({ place: 'report', figures })),
    settlements: () =>
      read({ kind: 'settlements' }, ({ batches }) => {
        const transactions = batches.map((each) => ({ ...each, id: `${each.acquirer} ${each.batch}` }));
        go({ place: 'settlements', transactions, first: 0 });
      }),
    zReport(of) {
      const { acquirer, batch } = of;
      return read({ kind: 'report', acquirer, batch }, (figures) => go({ place: 'report', figures, of }));
    },
    printReport(figures, of) {
      const batch = of ? { acquirer: of.acquirer, batch: of.batch } : {};
      const onBack = () => go({ place: 'report', figures, of });
      return send(withConfirmation({ kind: 'printReport', ...batch }), ({ body, refusal }) => {
        if (body?.responseResult === 'SUCCESS') return go({ place: 'said', what: 'printed', onBack });
        return showPrintFault(refusal ?? { text: body.text }, onBack);
      });
    },
    printSettlement: (of) =>
      read({ kind: 'printSettlement', settlement: of.settlement }, (body) =>
        showPrinted(body, () => actions.zReport(of)),
      ),
    settlement: () => read({ kind: 'report' }, (figures) => go({ place: 'settlement', figures })),
    /** `one`: an acquirer's batch; all if absent. */
    settleSure(one) {
      const text = one && ((/** @type {Words} */ words) => `${batchName(one, words)} · ${netText(one.totals, words)}`);
      const body = withConfirmation({ kind: 'settle', ...(one ? { acquirer: one.acquirer } : {}) });
      const what = one ? 'settleOne' : 'settle';
      sure({ what, text, onYes: () => actions.settleAs(body), onNo: actions.settlement });
    },
    settle: (one) => actions.settleAs(withConfirmation({ kind: 'settle', ...one })),
    settleAs: (body) => read(body, ({ settlements }) => go({ place: 'settled', settlements })),
  };

  /** @type {MachineActions} */
  const machine = {
    devices: () => read({ kind: 'machine' }, (machine) => go({ place: 'devices', ...machine })),
    about: () =>
      hasSession() ? read({ kind: 'machine' }, (body) => go({ place: 'about', ...body })) : go({ place: 'about' }),
    testPrint: () => read(withConfirmation({ kind: 'testPrint' }), (body) => showPrinted(body, actions.devices)),
    drawerSure() {
      const body = withConfirmation({ kind: 'openDrawer' });
      const opened = () => go({ place: 'said', what: 'drawerOpened', onBack: actions.devices });
      sure({ what: 'drawer', onYes: () => read(body, opened), onNo: actions.devices });
    },
  };

  /** @type {Actions} */
  const actions = {
    ...today,
    ...report,
    ...machine,
    ...bank,
    login,
    leave,
    menu,
    /** The language is the page's: it draws everything anew. */
    language: () => part('language').click(),
    // A list or a report that is open, from another row on.
    more: (open, first) => go(/** @type {Open} */ ({ ...open, first })),
    receipts: () => read({ kind: 'receipts' }, ({ transactions }) => go({ place: 'receipts', transactions, first: 0 })),
    printReceipt: ({ id }, onBack) =>
      read({ kind: 'printReceipt', transaction: id }, (body) => showPrinted(body, onBack)),
    refund: () => go({ place: 'refund' }),
    refundFor: (merchantId) => go({ place: 'refund', merchantId }),
    refundSure(amount, merchantId) {
      const { currency } = view().price;
      const merchant = merchantId === undefined ? {} : { merchantId };
      const body = withConfirmation({ kind: 'refund', amount, currency, ...merchant });
      const text = () => [priceOf({ amount, currency }), merchantOf(merchant)].filter(Boolean).join(' · ');
      sure({ kind: 'REFUND', text, onYes: () => pay(body) });
    },
    pair: () => read({ kind: 'pair' }, () => go({ place: 'pairing' })),
    decide(yes, code) {
      return read({ kind: 'decide', yes, code }, () =>
        go(yes ? { place: 'said', what: 'paired' } : { place: view().pairing === undefined ? 'menu' : 'pairing' }),
      );
    },
  };
  return actions;
}

/**
 * A time of today, '1430', with a quarter of an hour before and after.
 * @type {(time: string) => { since: string, until: string }}
 */
function around(time) {
  const at = new Date();
  at.setHours(Number(time.slice(0, 2)), Number(time.slice(2)), 0, 0);
  const instant = (/** @type {number} */ ms) => new Date(ms).toISOString();
  return { since: instant(at.getTime() - aroundMs), until: instant(at.getTime() + aroundMs) };
}
