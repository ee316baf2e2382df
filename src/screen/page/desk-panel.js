// The panels of the operator's menu. Pure except for the buttons, whose actions are in `actions`.
import { back, footButton, leave, priceOf, tile, transactionList } from './desk-parts.js';
import { toldBatchText, toldText, waitingPlaces } from './desk-waiting.js';
import { element } from './element.js';
import { keypad } from './keypad.js';
import { labelIn } from './label.js';
import { decimalsOf, grouped, majorOf, minorOf, typed } from './money.js';

const passwordMost = 32;
const passwordLeast = 6;

export function deskPanel(open, words, actions) {
  return { tone: 'plain', hint: '', foot: [leave(words, actions)], ...places[open.place](open, words, actions) };
}

const places = {
  ...waitingPlaces,

  locked({ told, reason, waitMs = 0, entry }, words, actions) {
    const foot = [leave(words, actions), footButton('about', 'about', words.desk.about, actions.about)];
    const title = words.desk.operator;
    if (!told.operator) return { title, hint: words.desk.noPassword, foot };
    const seconds = String(Math.ceil(waitMs / 1000));
    const hint = waitMs > 0 ? words.desk.wait.replace('{seconds}', seconds) : (words.desk[`login-${reason}`] ?? '');
    const panel = keypad({
      label: words.desk.password,
      words,
      face: (text) => '•'.repeat(text.length),
      next: (text, key) => (key === 'erase' ? text.slice(0, -1) : (text + key).slice(0, passwordMost)),
      isDone: (text) => text.length >= passwordLeast,
      onDone: actions.login,
      entry,
    });
    return { title, hint, panel, foot };
  },

  menu({ told }, words, actions) {
    const tiles = [
      tile('settle', words.desk.settle, actions.settlement),
      tile('void', words.desk.void, actions.list),
      tile('refund', words.desk.refund, actions.refund),
      ...(told.receipts === undefined ? [] : [tile('receipt', words.desk.receipts, actions.receipts)]),
      tile('bank', words.desk.bank, actions.bank),
      ...(told.pairs ? [tile('pair', words.desk.pair, actions.pair)] : []),
      tile('about', words.desk.about, actions.about),
    ];
    return { title: words.desk.operator, panel: element('div', { class: 'tiles' }, ...tiles) };
  },

  busy: (_open, words) => ({
    title: words.titles.processing,
    panel: element('div', { id: 'working' }, element('span', { class: 'spinner' })),
    foot: [],
  }),

  about({ told }, words, actions) {
    const { reversals, advices, rejected, unsendable, batches } = told.waiting;
    const rows = [
      ['reversals', words.desk.reversals, String(reversals)],
      ['advices', words.desk.advices, String(advices)],
      ['rejections', words.desk.rejections, String(rejected)],
      ['unsendable', words.desk.unsendables, String(unsendable)],
      ['batches', words.desk.batches, String(batches)],
      ['version', words.desk.version, told.version],
      ...(told.fingerprint === undefined ? [] : [['fingerprint', words.desk.fingerprint, told.fingerprint]]),
    ];
    const facts = rows.map(([name, label, value]) =>
      element('div', { 'data-fact': name }, element('dt', {}, label), element('dd', {}, value)),
    );
    return {
      title: words.desk.about,
      panel: element('dl', { id: 'facts' }, ...facts),
      foot: [back(words, actions)],
    };
  },

  list: (open, words, actions) =>
    transactionList(open, words, actions, {
      title: words.desk.void,
      nothing: words.desk.nothing,
      action: 'transaction',
      described: (each) => described(each, words),
      onChoose: actions.choose,
    }),

  receipts: (open, words, actions) =>
    transactionList(open, words, actions, {
      title: words.desk.receipts,
      nothing: words.desk.noReceipts,
      action: 'receipt',
      described: (each) => [described(each, words), each.waits ? words.desk.waits : ''].filter(Boolean).join(' · '),
      onChoose: actions.printReceipt,
    }),

  sure({ what, transaction, batch, outcome, onYes }, words, actions) {
    const chosen = transaction === undefined ? '' : `${described(transaction, words)} · ${priceOf(transaction)}`;
    const said = outcome === undefined ? chosen : transaction && toldText(transaction, outcome, words);
    return {
      title: words.desk[`${what}-sure`],
      hint: said ?? toldBatchText(batch, outcome, words),
      panel: element(
        'div',
        { class: 'tiles' },
        tile('yes', words.desk.yes, onYes),
        tile('no', words.desk.no, actions.menu),
      ),
      foot: [],
    };
  },

  refund({ told, entry }, words, actions) {
    const { amount, currency } = told.price;
    const decimals = decimalsOf(amount);
    const panel = keypad({
      label: words.desk.amount,
      more: decimals === 0 ? [] : ['.'],
      words,
      face: (text) => `${currency} ${grouped(text || '0')}`,
      next: (text, key) => typed(text, key, decimals),
      isDone: (text) => text !== '' && minorOf(text, decimals) > 0n,
      onDone: (text) => actions.refunded(majorOf(minorOf(text, decimals), decimals)),
      entry,
    });
    return { title: words.desk.refund, panel, foot: [back(words, actions)] };
  },

  pairing({ told }, words, actions) {
    const { posId, code, others } = told.pairing ?? {};
    if (code === undefined) {
      return {
        title: words.desk.pair,
        hint: words.desk[others ? 'pairNowOthers' : 'pairNow'],
        tone: 'notice',
        foot: [leave(words, actions)],
      };
    }
    return {
      title: `${code.slice(0, 3)} ${code.slice(3)}`,
      hint: words.desk[others ? 'compareOthers' : 'compare'].replaceAll('{pos}', () => posId),
      panel: element(
        'div',
        { class: 'tiles' },
        tile('yes', words.desk.yes, () => actions.decide(true, code)),
        tile('no', words.desk.no, () => actions.decide(false, code)),
      ),
      foot: [],
    };
  },

  said({ what, why, settlements = [] }, words, actions) {
    const rows = settlements.map((each) => {
      const told = each.unresolved === undefined ? [] : [element('dd', {}, unresolvedText(each.unresolved, words))];
      return element('div', {}, element('dt', {}, batchText(each, words)), ...told);
    });
    return {
      title: words.desk[what],
      hint: why === undefined ? '' : words.desk[why],
      ...(rows.length === 0 ? {} : { panel: element('dl', { id: 'facts' }, ...rows) }),
      foot: [back(words, actions)],
    };
  },
};

/** The result of a batch: settled (books agreed or differed), empty, or not settled and tried again. */
function batchText({ acquirer, batch, result, empty }, words) {
  const done = result === 'UPLOADED' ? 'batchDiffered' : empty ? 'batchEmpty' : 'batchSettled';
  const said = result === 'FAILED' ? 'batchFailed' : done;
  return words.desk[said].replace('{acquirer}', acquirer).replace('{batch}', String(batch));
}

function unresolvedText(unresolved, words) {
  const sums = unresolved.map(({ currency, count, totalAmount }) => `${currency} ${totalAmount} (${count})`);
  return words.desk.unresolved.replace('{sums}', () => sums.join(', '));
}

function described({ kind, method, label, lastDigits, at }, words) {
  const time = new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
  return [time, labelIn(words, label) ?? method, lastDigits === '' ? '' : `•${lastDigits}`, kind === 'SALE' ? '' : kind]
    .filter(Boolean)
    .join(' ');
}
