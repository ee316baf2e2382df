import { makeBooks } from './books.js';
import { $, button, element, show } from './element.js';
import { modeOf } from './host-mode.js';
import { makeModeForm } from './mode-form.js';
/** @import { BooksKind, BooksPaths, Host, HostTab, State } from './types.ts' */

const octopusId = 'OCTOPUS';

/** Counters of requests that begin a payment. Settlements and enquiries must not switch the tab. */
const followed = ['saleRequests', 'authRequests', 'refundRequests', 'voidRequests', 'adviceRequests'];

/**
 * The elements of each host by id, in the order of the tabs.
 * @type {Map<string, HostTab>}
 */
const shown = new Map();
/** @type {string | undefined} */
let chosen;

/** @type {(state: State) => void} */
export function showHosts({ hosts, octopus }) {
  for (const [id, host] of Object.entries(hosts)) {
    const kind = 'askedForPassword' in host ? 'wallets' : 'cards';
    const each = shown.get(id) ?? add(id, kind);
    showCondition(each, host);
    each.form.showState(host);
    const counts = Object.entries(host).filter(([name]) => name.endsWith('Requests'));
    const moved = counts.reduce((sum, [name, count]) => sum + (followed.includes(name) ? Number(count) : 0), 0);
    const { onShow, askedForPassword } = 'askedForPassword' in host ? host : {};
    follow(each, moved, [counts, onShow, askedForPassword]);
  }
  const each = shown.get(octopusId) ?? add(octopusId, 'octopus');
  show(each.condition, 'The reader’s own books: the operator’s library has no host to be asked.', 'note');
  each.tab.dataset.condition = octopus.plugged && !octopus.silent ? 'good' : 'bad';
  // A settlement uploads the day's deductions, and the reader's state does not show that.
  const settled = Object.values(hosts).map((host) => ('settlementRequests' in host ? host.settlementRequests : 0));
  const left = octopus.cards.reduce((sum, { balanceMinor }) => sum + Number(balanceMinor), 0);
  follow(each, (octopus.incomplete ? 1 : 0) - left, [left, octopus.incomplete, settled]);
  choose(chosen ?? 'EDC');
}

/** @type {(id: string, kind: BooksKind) => HostTab} */
function add(id, kind) {
  const panel = element('div', '', 'host');
  panel.id = `host-${id}`;
  panel.role = 'tabpanel';
  const condition = element('p');
  const form = kind === 'octopus' ? { form: '', showState: () => undefined } : makeModeForm(id, kind);
  const books = makeBooks(pathsOf(id, kind));
  panel.append(condition, form.form, books.box);
  panel.ariaLabel = id;
  const tab = button(kind === 'octopus' ? 'Octopus' : id, () => choose(id));
  tab.role = 'tab';
  tab.dataset.host = id;
  tab.setAttribute('aria-controls', panel.id);
  $('#host-tabs').append(tab);
  $('#host-panels').append(panel);
  /** @type {HostTab} */
  const made = { id, panel, condition, form, books, tab, key: '' };
  shown.set(id, made);
  return made;
}

/** @type {(id: string, kind: BooksKind) => BooksPaths} */
function pathsOf(id, kind) {
  if (kind === 'octopus') return { ledger: '/api/octopus/ledger' };
  const ledger = /** @type {const} */ (`/api/host/${id}/ledger`);
  return kind === 'cards' ? { ledger, settlements: `/api/host/${id}/settlements` } : { ledger };
}

/**
 * Shows the host whose books change, unless the user is editing another one. `moved` only grows, until a reset.
 * @type {(each: HostTab, moved: number, key: readonly unknown[]) => void}
 */
function follow(each, moved, key) {
  const busy = shown.get(chosen ?? '')?.panel.contains(document.activeElement) ?? false;
  if (each.moved !== undefined && moved > each.moved && !busy) chosen = each.id;
  each.moved = moved;
  each.key = JSON.stringify(key);
}

/** @type {(id: string) => void} */
function choose(id) {
  chosen = shown.has(id) ? id : [...shown.keys()][0];
  for (const each of shown.values()) {
    const on = each.id === chosen;
    each.panel.hidden = !on;
    each.tab.ariaSelected = String(on);
    if (on) each.books.look(each.key);
  }
}

/** @type {(tab: HostTab, host: Host) => void} */
function showCondition({ condition, tab }, host) {
  const { mode, customer: _, ...more } = modeOf(host);
  const usual = mode === 'up' && Object.keys(more).length === 0;
  tab.dataset.condition = mode === 'down' ? 'bad' : usual ? 'good' : 'busy';
  const state = mode === 'down' ? 'not listening' : `listening, ${host.connections} connected`;
  show(condition, `127.0.0.1:${host.port}, ${state}${usual ? '' : ' · not as usual'}`, 'note');
}
