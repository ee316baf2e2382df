// The simulator's page. It drives the same calls as any test would, and shows the state that /api/events sends.
// Data goes into the page as text only.

const hostModes = ['up', 'down', 'silent', 'late', 'garbage', 'duplicate', 'closeAfterRequest'];

// Fault → label. Those that stay on show in the state; the others meet the next frame or card only.
const readerFaults = {
  unplug: 'unplugged',
  garble: 'garble next',
  dropNext: 'drop next',
  garbageBefore: 'noise before next',
  collision: 'two cards',
  unsupported: 'unsupported card',
};
const printerFaults = {
  unplug: 'unplugged',
  paperOut: 'paper out',
  paperNearEnd: 'paper low',
  coverOpen: 'cover open',
  cutterError: 'cutter jam',
  silent: 'silent',
};

const ledgerRowsMax = 8;
const settlementRowsMax = 4;
const findingsMax = 6;

/** Alphabetic codes of the currencies that a demo meets; any other shows its number. */
const currencies = {
  344: ['HKD', 2],
  156: ['CNY', 2],
  446: ['MOP', 2],
  840: ['USD', 2],
  978: ['EUR', 2],
  392: ['JPY', 0],
};

const $ = (selector, within = document) => within.querySelector(selector);

function show(element, text, className) {
  element.textContent = text;
  if (className !== undefined) element.className = className;
}

function element(name, text, className = '') {
  const made = document.createElement(name);
  show(made, text, className);
  return made;
}

/** One call. A refusal is told in the head of the page. */
async function call(method, path, body) {
  show($('#message'), '');
  try {
    const response = await fetch(path, body === undefined ? { method } : { method, body: JSON.stringify(body) });
    if (!response.ok) show($('#message'), (await response.json()).error);
    return response.ok;
  } catch {
    offline();
    return false;
  }
}

/** For what is fetched to be shown: there is no one else to tell. */
function offline() {
  show($('#message'), 'The simulator does not answer.');
}

function amountText({ amountMinor, currencyNumeric }) {
  if (amountMinor === undefined) return '';
  const [code, decimals] = currencies[Number(currencyNumeric)] ?? [currencyNumeric, 2];
  const digits = amountMinor.padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  return `${code} ${decimals === 0 ? whole : `${whole}.${digits.slice(-decimals)}`}`;
}

function showReader(reader) {
  const state = !reader.connected ? 'absent' : reader.armed ? 'armed' : 'idle';
  $('#reader').dataset.state = state;
  const texts = {
    absent: ['Unplugged', 'The terminal does not see this reader.'],
    armed: ['Present card', 'Tap a card below.'],
    idle: ['No card is awaited', 'POST a payment to the terminal, then tap a card.'],
  };
  show($('#reader-state'), texts[state][0]);
  show($('#reader-note'), reader.heldCard === undefined ? texts[state][1] : `${reader.heldCard} is held to the reader`);
  show($('#reader-amount'), amountText(reader));
  for (const card of document.querySelectorAll('.card'))
    card.dataset.held = String(card.dataset.card === reader.heldCard);
  press($('#reader-faults'), { unplug: !reader.connected });
}

let shownRevision = -1;

function showPrinter(printer) {
  press($('#printer-faults'), { ...printer, unplug: !printer.connected });
  const faults = Object.keys(printerFaults).filter((name) => (name === 'unplug' ? !printer.connected : printer[name]));
  const state = $('#printer-state');
  if (faults.length === 0) show(state, 'ready', 'pill good');
  else show(state, faults.map((name) => printerFaults[name]).join(', '), 'pill bad');
  if (printer.paperRevision !== shownRevision) showPaper(printer.paperRevision).catch(offline);
}

async function showPaper(revision) {
  shownRevision = revision;
  const text = await (await fetch('/api/printer/paper')).text();
  const paper = $('#paper');
  paper.hidden = text === '';
  $('#no-paper').hidden = text !== '';
  if (text === '') return;
  paper.src = `/api/printer/paper.png?revision=${revision}`;
  await paper.decode().catch(() => undefined);
  $('#roll').scrollTop = $('#roll').scrollHeight;
}

function showHosts(hosts) {
  for (const [id, host] of Object.entries(hosts)) {
    const article = document.getElementById(`host-${id}`) ?? makeHost(id);
    const extra = [
      host.delayMs && `${host.delayMs} ms`,
      host.decline && `declines ${host.decline}`,
      host.declineVoids && `declines voids ${host.declineVoids}`,
      host.advices && 'advices too',
      host.settlement && 'settlement too',
      host.mismatch && 'next totals mismatch',
    ].filter(Boolean);
    const usual = host.mode === 'up' && extra.length === 0;
    show(
      $('.pill', article),
      [host.mode, ...extra].join(', '),
      `pill ${host.mode === 'down' ? 'bad' : usual ? 'good' : 'busy'}`,
    );
    show($('small', article), `127.0.0.1:${host.port}, ${host.connections} connected`);
    // Set elsewhere, it shows here; but not under the hands of who is choosing.
    const form = $('form', article);
    if (!form.contains(document.activeElement)) form.elements.mode.value = host.mode;
    showLedger(id, $('.ledger', article), $('.empty', article)).catch(offline);
    showSettlements(id, $('.settlements', article)).catch(offline);
  }
}

function makeHost(id) {
  const article = $('#host-template').content.cloneNode(true).firstElementChild;
  article.id = `host-${id}`;
  show($('.host-id', article), id);
  const form = $('form', article);
  for (const mode of hostModes) form.elements.mode.append(element('option', mode));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const { mode, delayMs, decline } = form.elements;
    void call('POST', `/api/host/${id}`, {
      mode: mode.value,
      ...(delayMs.value !== '' && { delayMs: Number(delayMs.value) }),
      ...(decline.value !== '' && { decline: decline.value }),
    });
  });
  $('#hosts').append(article);
  return article;
}

async function showLedger(id, table, empty) {
  const ledger = await (await fetch(`/api/host/${id}/ledger`)).json();
  const rows = ledger.slice(-ledgerRowsMax).map((entry) => {
    const settled = entry.settled ? `batch ${entry.batch}` : '';
    return [
      [entry.stan],
      [entry.rrn],
      [`…${entry.maskedPan.slice(-4)}`],
      [entry.kind.replace('_', ' ').toLowerCase()],
      [`${entry.currency} ${entry.amount}`, 'amount'],
      [Number(entry.tip) === 0 ? '' : entry.tip, 'amount'],
      [entry.status, entry.status],
      [settled],
    ];
  });
  fill(table, rows);
  const more = ledger.length - rows.length;
  empty.hidden = rows.length > 0 && more === 0;
  show(empty, rows.length === 0 ? 'Nothing posted' : `and ${more} older`);
}

/** Where the two sides differ, both are shown: the terminal's, then the host's. */
async function showSettlements(id, table) {
  const settlements = await (await fetch(`/api/host/${id}/settlements`)).json();
  const sum = ({ terminal, host }, kind) => {
    const [claimed, booked] = [terminal[kind], host[kind]].map(({ count, amount }) => `${count} × ${amount}`);
    return claimed === booked ? claimed : `${claimed} / ${booked}`;
  };
  const rows = settlements
    .slice(-settlementRowsMax)
    .map((entry) => [
      [`${entry.batch} ${entry.currency}`],
      [sum(entry, 'sales'), 'amount'],
      [sum(entry, 'refunds'), 'amount'],
      [entry.uploaded === 0 ? '' : String(entry.uploaded)],
      [entry.differences.length === 0 ? '' : String(entry.differences.length)],
      [entry.result, entry.result],
    ]);
  fill(table, rows);
}

/** Rows of cells, each a text and its class; the newest goes on top. */
function fill(table, rows) {
  const made = rows.toReversed().map((cells) => {
    const row = document.createElement('tr');
    row.append(...cells.map(([text, className]) => element('td', text, className)));
    return row;
  });
  $('tbody', table).replaceChildren(...made);
  table.hidden = rows.length === 0;
}

/** What the simulated devices and hosts would not have understood: a fault of the terminal. */
function showFindings({ reader, printer, hosts }) {
  const sources = [['reader', reader], ['printer', printer], ...Object.entries(hosts)];
  const all = sources.flatMap(([name, { unexpected }]) => unexpected.map((each) => ({ name, ...each })));
  $('#findings').hidden = all.length === 0;
  const items = all
    .slice(-findingsMax)
    .map(({ name, why, hex }) => element('li', `${name}: ${why} ${hex.slice(0, 48)}`));
  $('#findings ul').replaceChildren(...items);
}

function makeSwitches(container, faults, path) {
  for (const [name, label] of Object.entries(faults)) {
    const button = element('button', label);
    button.type = 'button';
    button.dataset.fault = name;
    button.addEventListener('click', () => void call('POST', path, { [name]: button.ariaPressed !== 'true' }));
    container.append(button);
  }
}

/** Shows which of the faults are on, as far as the state tells. */
function press(container, on) {
  for (const button of container.children) {
    if (typeof on[button.dataset.fault] === 'boolean') button.ariaPressed = String(on[button.dataset.fault]);
  }
}

async function start() {
  makeSwitches($('#reader-faults'), readerFaults, '/api/reader/fault');
  makeSwitches($('#printer-faults'), printerFaults, '/api/printer/fault');
  $('#tear').addEventListener('click', () => void call('DELETE', '/api/printer/paper'));
  $('#reset').addEventListener('click', () => void call('POST', '/api/reset'));
  for (const name of await (await fetch('/api/cards')).json()) {
    const card = element('button', name, 'card');
    card.type = 'button';
    card.dataset.card = name;
    card.addEventListener('click', () => void call('POST', '/api/reader/tap', { card: name }));
    $('#cards').append(card);
  }
  const events = new EventSource('/api/events');
  events.addEventListener('open', () => show($('#link'), 'live', 'pill good'));
  events.addEventListener('error', () => show($('#link'), 'no connection', 'pill bad'));
  events.addEventListener('message', ({ data }) => {
    const state = JSON.parse(data);
    $('#auto').hidden = !state.auto;
    showReader(state.reader);
    showPrinter(state.printer);
    showHosts(state.hosts);
    showFindings(state);
  });
}

await start();
