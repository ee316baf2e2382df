import { get, post, remove } from './call.js';
import { $, button, element, onPress, partOf, partsOf, show } from './element.js';
import { onView } from './views.js';
import { showFrame } from './wire-frame.js';
/** @import { ShownFrame } from './types.ts' */

const rowsMax = 600;

/**
 * Explains the lines to newcomers.
 * @type {Readonly<Record<string, string>>}
 */
const meanings = {
  till: 'the point of sale on this page: JSON over HTTP',
  reader: 'the card reader with its PIN pad',
  EDC: 'the bank’s host for Visa, Mastercard, American Express and JCB: ISO 8583 over TCP',
  CUP: 'the bank’s host for UnionPay cards: ISO 8583 over TCP',
  EPS: 'the host of EPS, Hong Kong’s debit cards: ISO 8583 over TCP',
  QR: 'the host of the wallets, such as Alipay and WeChat Pay: HTTP',
  printer: 'the receipt printer: ESC/POS',
  octopus: 'the reader of Octopus cards',
  scanner: 'the scanner that reads a customer’s code',
};
const legend = 'To: the terminal sends. From: it receives. Press a row to read it field by field.';

/** From the terminal's point of view. */
const ways = { fromTerminal: 'to', toTerminal: 'from' };

/** In the order of a payment; a line of another name comes last. */
const order = ['till', 'reader', 'BANK', 'EDC', 'CUP', 'EPS', 'QR', 'printer', 'octopus', 'scanner'];
const directions = { fromTerminal: 'from the terminal', toTerminal: 'to the terminal' };

/** @type {readonly ShownFrame[]} */
let frames = [];
let lastId = 0;
let chosenLine = '';
/** @type {number | undefined} */
let chosenId;
/** @type {EventSource | undefined} */
let stream;
/**
 * Words of the frame that a scenario is about, and the last frame before it was played.
 * @type {{ words: string | undefined, after: number, opened?: boolean }}
 */
let wanted = { words: undefined, after: 0 };

export function startWires() {
  $('#wires-quiet').addEventListener('change', draw);
  $('#wires-follow').addEventListener('click', () => follow($('#wires-follow').ariaPressed !== 'true'));
  onPress($('#wires-clear'), async () => {
    if (!(await remove('/api/wires', 'Clear the wires'))) return;
    clearWires();
    await post('/api/session', {}, 'Begin a recording');
  });
  $('#wire-list').addEventListener('wheel', ({ deltaY }) => deltaY < 0 && follow(false), { passive: true });
  $('#wire-list').addEventListener('keydown', step);
  show($('#wire-meaning'), legend);
  void drawLines();
  // Only while it is shown, so that bytes are not cut into frames needlessly.
  onView((view) => (view === 'wires' ? listen() : stop()));
}

/**
 * The frames with these words that come from now on are marked, and the first of them is opened.
 * @type {(words: string) => void}
 */
export function lookFor(words) {
  wanted = { words, after: lastId, opened: false };
  chosenLine = '';
  closeFrame();
  choose('');
  follow(true);
}

/** Closes a frame that was opened before the scenario. */
function closeFrame() {
  chosenId = undefined;
  $('#wire-frame').hidden = true;
  for (const row of $('#wire-list tbody').children) row.ariaSelected = 'false';
}

export function clearWires() {
  frames = [];
  closeFrame();
  draw();
}

function listen() {
  if (stream) return;
  stream = new EventSource(`/api/wires/events?after=${lastId}`);
  stream.addEventListener('message', ({ data }) => add(JSON.parse(data)));
}

function stop() {
  stream?.close();
  stream = undefined;
}

/** @type {(came: readonly ShownFrame[]) => void} */
function add(came) {
  const fresh = came.filter(({ id }) => id > lastId);
  const last = fresh.at(-1);
  if (!last) return;
  lastId = last.id;
  frames = [...frames, ...fresh].slice(-5000);
  draw();
  const found = fresh.find(isWanted);
  if (!found || wanted.opened) return;
  wanted.opened = true;
  void look(found.id, true);
}

/** @type {(frame: ShownFrame) => boolean} */
function isWanted({ id, summary }) {
  return wanted.words !== undefined && id > wanted.after && summary.includes(wanted.words);
}

async function drawLines() {
  const { lines = [] } = (await get('/api/wires?after=999999999999999')) ?? {};
  /** @type {(name: string) => number} */
  const place = (name) => (order.includes(name) ? order.indexOf(name) : order.length);
  const names = lines.map(({ name }) => name).toSorted((a, b) => place(a) - place(b));
  const made = ['', ...names].map((name) => {
    const each = button(name || 'all', () => choose(name));
    each.dataset.line = name;
    each.ariaPressed = String(name === chosenLine);
    each.title = meanings[name] ?? '';
    return each;
  });
  $('#wire-lines').replaceChildren(...made);
}

/** @type {(name: string) => void} */
function choose(name) {
  chosenLine = name;
  show($('#wire-meaning'), meanings[name] === undefined ? legend : `${name}: ${meanings[name]}`);
  for (const each of partsOf('#wire-lines > *')) each.ariaPressed = String(each.dataset.line === name);
  partOf('#wires-export', HTMLAnchorElement).href =
    name === '' ? '/api/wires.jsonl' : `/api/wires.jsonl?line=${encodeURIComponent(name)}`;
  draw();
}

/** @type {(on: boolean) => void} */
function follow(on) {
  $('#wires-follow').ariaPressed = String(on);
  if (on) scrollToEnd();
}

function draw() {
  const quiet = partOf('#wires-quiet', HTMLInputElement).checked;
  const drawn = frames
    .filter(({ line, polling }) => (chosenLine === '' || line === chosenLine) && !(quiet && polling))
    .slice(-rowsMax);
  const table = $('#wire-list table');
  $('#wire-list .nothing').hidden = drawn.length > 0;
  table.hidden = drawn.length === 0;
  const body = $('tbody', table);
  const known = new Map(partsOf('tr', body).map((row) => [row.dataset.id, row]));
  body.replaceChildren(...drawn.map((frame) => known.get(String(frame.id)) ?? drawnRow(frame)));
  if ($('#wires-follow').ariaPressed === 'true') scrollToEnd();
}

/** @type {(frame: ShownFrame) => HTMLElement} */
function drawnRow(frame) {
  const { id, at, line, direction, kind, length, summary } = frame;
  const row = element('tr');
  row.dataset.id = String(id);
  row.dataset.kind = kind;
  row.dataset.direction = direction;
  row.dataset.wanted = String(isWanted(frame));
  const way = element('td', `${ways[direction]} `, 'line');
  way.append(element('b', line));
  const open = button(summary, () => look(id), 'frame');
  open.ariaLabel = `${line} ${directions[direction]}: ${summary}`;
  const cell = element('td');
  cell.append(open);
  const size = element('td', length === 0 ? '' : String(length), 'amount');
  row.append(element('td', clock(at), 'time'), way, cell, size);
  if (id === chosenId) row.ariaSelected = 'true';
  return row;
}

/** @type {(id: number, goesOn?: boolean) => Promise<void>} */
async function look(id, goesOn = false) {
  chosenId = id;
  if (!goesOn) follow(false);
  for (const row of partsOf('#wire-list tbody tr')) row.ariaSelected = String(row.dataset.id === String(id));
  const frame = await get(`/api/wires/${id}`);
  if (frame) showFrame(frame, `${clock(frame.at)} · ${frame.line} (${frame.protocol}), ${directions[frame.direction]}`);
  if (goesOn) scrollToEnd();
  else document.querySelector('#wire-list [aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
}

/**
 * Arrows go through the list.
 * @type {(event: KeyboardEvent) => void}
 */
function step(event) {
  const at = document.querySelector('#wire-list [aria-selected="true"]');
  const next = { ArrowDown: at?.nextElementSibling, ArrowUp: at?.previousElementSibling };
  const row = event.key === 'ArrowDown' || event.key === 'ArrowUp' ? next[event.key] : undefined;
  if (!(row instanceof HTMLElement)) return;
  event.preventDefault();
  void look(Number(row.dataset.id));
  $('button', row).focus({ preventScroll: true });
}

/** @type {(at: string) => string} */
function clock(at) {
  const time = new Date(at);
  return `${time.toLocaleTimeString('en-GB')}.${String(time.getMilliseconds()).padStart(3, '0')}`;
}

function scrollToEnd() {
  const list = $('#wire-list');
  list.scrollTop = list.scrollHeight;
}
