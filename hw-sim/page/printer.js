import { remove } from './call.js';
import { $, element, onPress, partOf, show } from './element.js';
import { makeFaults } from './faults.js';
import { showMessage } from './message.js';
import { onceMore } from './once-more.js';
/** @import { Printer } from './types.ts' */

const switches = {
  unplug: 'unplugged',
  paperOut: 'paper out',
  paperNearEnd: 'paper low',
  coverOpen: 'cover open',
  cutterError: 'cutter jam',
  silent: 'silent',
};

/** @type {ReturnType<typeof makeFaults>} */
let showFaults;
let revision = -1;
/** @type {number | undefined} */
let kicksSeen;

const drawPaper = onceMore(async () => {
  const wanted = revision;
  try {
    const text = await (await fetch('/api/printer/paper')).text();
    if (text === '') return showPaper(undefined);
    const picture = new Image();
    picture.id = 'paper';
    picture.alt = 'The printed paper';
    picture.src = `/api/printer/paper.png?revision=${wanted}`;
    await picture.decode();
    showPaper(picture);
  } catch {
    showMessage('The paper could not be fetched.');
  }
  return undefined;
});

export function startPrinter() {
  showFaults = makeFaults($('#printer-faults'), 'Printer', '/api/printer/fault', {
    switches,
    next: [['paper ends 10 lines on', { paperOutAfter: 10 }]],
  });
  onPress($('#tear'), () => remove('/api/printer/paper', 'Tear off'));
  $('#drawer').addEventListener('click', () => openDrawer(false));
  new ResizeObserver(scrollToEnd).observe($('#roll'));
}

/** @type {(printer: Printer) => void} */
export function showPrinter(printer) {
  const { connected, paperOut, paperNearEnd, coverOpen, cutterError, silent } = printer;
  const on = { unplug: !connected, paperOut, paperNearEnd, coverOpen, cutterError, silent };
  showFaults(on);
  const isOn = new Map(Object.entries(on));
  const wrong = Object.entries(switches).flatMap(([name, label]) => (isOn.get(name) ? [label] : []));
  const names = wrong.join(', ');
  show($('#printer-state'), wrong.length === 0 ? 'ready' : names, `pill ${wrong.length === 0 ? 'good' : 'bad'}`);
  const { drawerKicks, paperRevision } = printer;
  if (kicksSeen !== undefined && drawerKicks > kicksSeen) openDrawer(true);
  // A reset shuts it.
  if (kicksSeen !== undefined && drawerKicks < kicksSeen) openDrawer(false);
  kicksSeen = drawerKicks;
  if (paperRevision === revision) return;
  revision = paperRevision;
  void drawPaper();
}

/** @type {(picture: HTMLImageElement | undefined) => void} */
function showPaper(picture) {
  $('#roll').replaceChildren(picture ?? element('p', 'Receipts come out here', 'nothing'));
  scrollToEnd();
}

/** Scrolls to the end of the paper: it was printed last. */
function scrollToEnd() {
  const roll = $('#roll');
  roll.scrollTop = roll.scrollHeight;
}

/** @type {(open: boolean) => void} */
function openDrawer(open) {
  const drawer = partOf('#drawer', HTMLButtonElement);
  drawer.dataset.open = String(open);
  drawer.disabled = !open;
  show(drawer, open ? 'Cash drawer, open: click to shut it' : 'Cash drawer, shut');
}
