// The page is a function of three things: the last view of the terminal, the language, and whether the list of other
// methods is open.
import { clearCash } from './cash.js';
import { fitCode } from './code.js';
import { closeMenu, operatorMenu, menuView, onMenu, openMenu } from './menu.js';
import { button, element, fill, icon, part, partOf } from './element.js';
import { watch } from './events.js';
import { changeLanguage, otherWords, words } from './language.js';
import { wordOf } from './label.js';
import { message } from './message.js';
import { methodTiles, panel } from './panel.js';
import { arrived, send } from './presses.js';
import { drawPrice, drawSums, drawTip } from './price.js';
import { askerText, merchantText } from './asker.js';
import { clearSignature } from './sign.js';
import { staffLine } from './staff-line.js';
import { sound, soundOf } from './sounds.js';
import { style } from './style.js';
import { fitTill, tillPanel } from './till.js';
import { isTypingTip, showTip } from './tip.js';
/** @import { Message, OnAction, Panel, TipPart, View, Words } from './types.ts' */

const { readerPosition } = style;
/** @type {View} */
const offline = { scene: 'offline' };
/** The longest that the page waits for its first view before it shows that there is none. */
const patienceMs = 1000;
const viewParts = /** @type {const} */ (['transaction', 'scene', 'mode']);
/** @type {View} */
let view = offline;
/** Nothing was shown yet: the first drawing must not move at once. */
let isAwaited = true;
let othersOpen = false;

/** @type {(next?: View) => void} */
function onView(next = offline) {
  const shown = Object.hasOwn(words().titles, next.scene) ? next : offline;
  const differs = viewParts.some((name) => shown[name] !== view[name]);
  const elsewhere = differs || shown.ownTip?.tip !== view.ownTip?.tip;
  // The list closes when the view changes, so that the customer sees the change.
  if (elsewhere || shown.hint !== view.hint) othersOpen = false;
  if (elsewhere) clearCash();
  if (elsewhere) clearSignature();
  showTip('view');
  // A till's content does not disturb the operator's menu.
  if (shown.scene === 'idle' && view.scene === 'idle' && operatorMenu(words()) !== undefined) {
    view = shown;
    return;
  }
  if (shown.scene !== 'idle') closeMenu();
  sound(soundOf(shown, view));
  view = shown;
  // The menu's first view comes right behind, and both are drawn as one.
  if (isAwaited) requestAnimationFrame(reveal);
  draw();
  arrived(elsewhere);
}

function reveal() {
  if (!isAwaited) return;
  isAwaited = false;
  draw();
}

const outcomeLines = /** @type {const} */ (['happened', 'money', 'next']);

/**
 * `isRefresh`: the same place of the menu with new data of the terminal: its buttons keep their actions.
 * @type {(how?: { readonly isRefresh?: boolean }) => void}
 */
function draw({ isRefresh = false } = {}) {
  if (isAwaited) return;
  const said = words();
  const menu = view.scene === 'idle' ? operatorMenu(said) : undefined;
  const { title, lines, hint, drawing, tone } = shownMessage(said, menu);
  const shown = menu ? menu.panel : shownPanel(said);
  document.documentElement.lang = said.lang;
  document.title = title;
  Object.assign(document.body.dataset, { scene: view.scene, tone, panel: shown === undefined ? 'none' : 'shown' });
  document.body.dataset.till = !menu && shownTill() ? 'shown' : 'none';
  drawPrice(view);
  drawTip(view, said);
  drawSums(view, said);
  const about = [merchantText(view.merchant), wordOf(said.kinds, view.kind), askerText(view.asker, said)];
  write('kind', about.filter(Boolean).join(' · '));
  write('title', title);
  for (const name of outcomeLines) write(name, lines?.[name] ?? '');
  write('hint', hint);
  for (const each of partOf('mark', SVGSVGElement).children) {
    each.classList.toggle('shown', each.getAttribute('data-drawing') === drawing);
  }
  document.body.dataset.mark = drawing;
  fill(part('panel'), shown === undefined ? [] : [shown], isRefresh);
  fill(part('foot'), menu?.foot ?? foot(said), isRefresh);
  const language = part('language');
  const other = otherWords();
  language.hidden = other === undefined;
  language.textContent = other?.languageName ?? '';
  language.lang = other?.lang ?? said.lang;
  fitCode();
  fitTill();
}

/** @type {(said: Words) => HTMLElement | undefined} */
function shownPanel(said) {
  if (othersOpen) return methodTiles(others(), said, act, view.labels);
  const till = shownTill();
  return till ? tillPanel(till, said) : panel(view, said, act, openTip);
}

/** @type {(said: Words, menu: Panel | undefined) => Message} */
function shownMessage(said, menu) {
  if (menu) return { drawing: 'none', ...menu };
  if (othersOpen) return { title: said.buttons.others, hint: '', drawing: 'none', tone: 'plain' };
  if (shownTill()) return { title: said.titles.idle, hint: '', drawing: 'none', tone: 'plain' };
  return message(view, said, readerPosition);
}

/** A till's text is shown only on the idle screen, whatever the view contains. */
function shownTill() {
  return view.scene === 'idle' ? view.till : undefined;
}

/** @type {(said: Words) => HTMLElement[]} */
function foot(said) {
  const { buttons } = said;
  const made = [];
  const menu = view.scene === 'idle' ? menuView() : undefined;
  if (menu !== undefined) {
    const lines = staffLine(menu, said, (to) => openMenu({ to }));
    if (lines !== undefined) made.push(lines);
    made.push(button({ 'data-action': 'menu', 'aria-label': said.menu.operator }, () => openMenu(), icon('menu')));
  }
  if (othersOpen || isTypingTip()) {
    const leave = () => (othersOpen ? open(false) : openTip('offers'));
    made.push(button({ 'data-action': 'back' }, leave, icon('back'), element('span', {}, buttons.back)));
  }
  if (!othersOpen && others().length > 0) {
    made.push(
      button({ 'data-action': 'others' }, () => open(true), icon('others'), element('span', {}, buttons.others)),
    );
  }
  if (view.cancellable && view.transaction !== undefined) {
    made.push(
      button(
        { 'data-action': 'cancel' },
        () => act({ kind: 'cancel' }),
        icon('cancel'),
        element('span', {}, buttons.cancel),
      ),
    );
  }
  return made;
}

/** The modes that the merchant may change to. chooseMethod shows them anyway. */
function others() {
  const { scene, modes = [], mode } = view;
  return scene === 'chooseMethod' ? [] : modes.filter((each) => each !== mode);
}

/** @type {(isOpen: boolean) => void} */
function open(isOpen) {
  othersOpen = isOpen;
  draw();
  arrived(true);
}

/** @type {(part: TipPart) => void} */
function openTip(part) {
  showTip(part);
  draw();
  arrived(true);
}

/** @type {OnAction} */
function act(action) {
  send({ transaction: view.transaction, ...action });
}

/** @type {(id: string, text: string) => void} */
function write(id, text) {
  const shown = part(id);
  // Written only if changed: a screen reader repeats text that is written again.
  if (shown.textContent !== text) shown.textContent = text;
}

part('language').addEventListener('click', () => {
  changeLanguage();
  draw();
});
// On touch screens, a long press would open a context menu.
document.addEventListener('contextmenu', (event) => event.preventDefault());
window.addEventListener('resize', fitCode);
window.addEventListener('resize', fitTill);
setTimeout(reveal, patienceMs);
watch(onView, (menu) => onMenu(menu, draw));
