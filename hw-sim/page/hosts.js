import { makeBooks } from './books.js';
import { $, button, element, show } from './element.js';
import { modeOf } from './host-mode.js';
import { makeModeForm } from './mode-form.js';

const octopusId = 'OCTOPUS';

/** Counters of requests that begin a payment. Settlements and enquiries must not switch the tab. */
const followed = ['saleRequests', 'authRequests', 'refundRequests', 'voidRequests', 'adviceRequests'];

/** The elements of each host by id, in the order of the tabs. */
const shown = new Map();
let chosen;

export function showHosts({ hosts, octopus }) {
  for (const [id, host] of Object.entries(hosts)) {
    const kind = 'askedForPassword' in host ? 'wallets' : 'cards';
    const each = shown.get(id) ?? add(id, kind);
    showCondition(each, host);
    each.form.showState(host);
    const counts = Object.entries(host).filter(([name]) => name.endsWith('Requests'));
    const moved = followed.reduce((sum, name) => sum + (host[name] ?? 0), 0);
    follow(each, moved, [counts, host.onShow, host.askedForPassword]);
  }
  const each = shown.get(octopusId) ?? add(octopusId, 'octopus');
  show(each.condition, 'The reader’s own books: the operator’s library has no host to be asked.', 'note');
  each.tab.dataset.condition = octopus.plugged && !octopus.silent ? 'good' : 'bad';
  // A settlement uploads the day's deductions, and the reader's state does not show that.
  const settled = Object.values(hosts).map(({ settlementRequests = 0 }) => settlementRequests);
  const left = octopus.cards.reduce((sum, { balanceMinor }) => sum + Number(balanceMinor), 0);
  follow(each, (octopus.incomplete ? 1 : 0) - left, [left, octopus.incomplete, settled]);
  choose(chosen ?? 'EDC');
}

function add(id, kind) {
  const panel = element('div', '', 'host');
  panel.id = `host-${id}`;
  panel.role = 'tabpanel';
  const condition = element('p');
  const form = kind === 'octopus' ? { form: '', showState: () => undefined } : makeModeForm(id, kind);
  const path = kind === 'octopus' ? '/api/octopus' : `/api/host/${id}`;
  const books = makeBooks(
    { ledger: `${path}/ledger`, ...(kind === 'cards' && { settlements: `${path}/settlements` }) },
    kind,
  );
  panel.append(condition, form.form, books.box);
  panel.ariaLabel = id;
  const tab = button(kind === 'octopus' ? 'Octopus' : id, () => choose(id));
  tab.role = 'tab';
  tab.dataset.host = id;
  tab.setAttribute('aria-controls', panel.id);
  $('#host-tabs').append(tab);
  $('#host-panels').append(panel);
  const made = { id, panel, condition, form, books, tab, key: '' };
  shown.set(id, made);
  return made;
}

/** Shows the host whose books change, unless the user is editing another one. `moved` only grows, until a reset. */
function follow(each, moved, key) {
  const busy = shown.get(chosen)?.panel.contains(document.activeElement) ?? false;
  if (moved > each.moved && !busy) chosen = each.id;
  each.moved = moved;
  each.key = JSON.stringify(key);
}

function choose(id) {
  chosen = shown.has(id) ? id : [...shown.keys()][0];
  for (const each of shown.values()) {
    const on = each.id === chosen;
    each.panel.hidden = !on;
    each.tab.ariaSelected = String(on);
    if (on) each.books.look(each.key);
  }
}

function showCondition({ condition, tab }, host) {
  const { mode, customer: _, ...more } = modeOf(host);
  const usual = mode === 'up' && Object.keys(more).length === 0;
  tab.dataset.condition = mode === 'down' ? 'bad' : usual ? 'good' : 'busy';
  const state = mode === 'down' ? 'not listening' : `listening, ${host.connections} connected`;
  show(condition, `127.0.0.1:${host.port}, ${state}${usual ? '' : ' · not as usual'}`, 'note');
}
