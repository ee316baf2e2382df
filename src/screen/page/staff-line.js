// The notices of an idle screen to the staff: faults, and waiting work. Each line opens the operator's menu at its
// place.
import { button, element, icon } from './element.js';
/** @import { MenuView, StaffLine, UnsettledBatch, Words } from './types.ts' */

/** More than these are counted: the screen belongs to the customer. */
const linesMost = 4;

/** @type {Partial<Record<StaffLine['to'], string>>} */
const drawings = { receipts: 'receipt', bank: 'bank' };

const ofReader = ['readerAbsent', 'readerConnecting'];
const ofPrinter = ['paperOut', 'printerCoverOpen', 'printerAbsent', 'printerError'];
const ofDrawer = ['drawerShut'];
const ofClock = ['clockWrong', 'clockUnsynchronised'];

/**
 * The lines; those that stop a customer come first. `to`: the action of the menu that shows more. Pure: takes the
 * menu's view and words.
 * @type {(view: MenuView, words: Words) => StaffLine[]}
 */
export function staffLines(
  {
    notices,
    receipts = 0,
    waiting,
    unsettled = [],
    unknownTo = [],
    held = [],
    plainLines = [],
    undecidedLines = [],
    extraPayments = 0,
    customerMatters = 0,
    booksDiffer = 0,
    restored,
  },
  words,
) {
  const { staff, notices: names } = words;
  const { reversals, advices, rejected, unsendable } = waiting;
  /** @type {(known: readonly string[]) => string[]} */
  const named = (known) => notices.filter((each) => known.includes(each)).map((each) => names[each]);
  /** @type {(text: string, count: number) => string[]} */
  const counted = (text, count) => (count > 0 ? [text.replace('{count}', String(count))] : []);
  const paper = paperLine(named(ofPrinter)[0], receipts, staff);
  /** @type {(text: string, acquirers: readonly string[]) => StaffLine[]} */
  const naming = (text, acquirers) => {
    const banks = new Intl.ListFormat(words.lang, { type: 'conjunction' }).format(acquirers);
    return acquirers.length > 0 ? [{ to: 'bank', text: text.replace('{acquirers}', () => banks) }] : [];
  };
  /** @type {(to: StaffLine['to'], texts: readonly string[]) => StaffLine[]} */
  const leading = (to, texts) => texts.map((text) => ({ to, text }));
  return [
    ...leading('devices', named(ofReader)),
    ...naming(staff.unknownTo, unknownTo),
    ...naming(staff.held, held),
    ...leading('receipts', paper === undefined ? [] : [paper]),
    ...leading('devices', named(ofDrawer)),
    ...leading('bank', counted(staff.giveBack, extraPayments)),
    ...leading('bank', counted(staff.settleWithCustomer, customerMatters)),
    ...leading('bank', restored ? [staff.restored] : []),
    ...leading('bank', counted(staff.unsendable, unsendable)),
    ...leading(
      'bank',
      unsettled.map((each) => unsettledLine(each, staff)),
    ),
    ...leading('bank', counted(staff.booksDiffer, booksDiffer)),
    ...leading('bank', counted(staff.rejected, rejected)),
    ...leading('bank', counted(staff.waiting, reversals + advices)),
    ...naming(staff.undecidedLines, undecidedLines),
    ...naming(staff.plainLines, plainLines),
    ...leading('about', named(ofClock)),
  ];
}

/**
 * Which batch is not settled, and who must act.
 * @type {(batch: UnsettledBatch, staff: Words['staff']) => string}
 */
function unsettledLine({ acquirer, batch, actor }, staff) {
  const named = staff.unsettled.replace('{acquirer}', () => acquirer).replace('{batch}', String(batch));
  return named.replace('{actor}', () => staff.actors[actor]);
}

/**
 * The printer's fault, and the receipts that wait for it.
 * @type {(trouble: string | undefined, receipts: number, staff: Words['staff']) => string | undefined}
 */
function paperLine(trouble, receipts, staff) {
  if (receipts === 0) return trouble;
  const one = trouble === undefined ? staff.receiptWaits : staff.troubleReceiptWaits;
  const many = trouble === undefined ? staff.receiptsWait : staff.troubleReceiptsWait;
  return (receipts === 1 ? one : many).replace('{count}', String(receipts)).replace('{trouble}', () => trouble ?? '');
}

/**
 * The lines as buttons; undefined if there are none.
 * @type {(view: MenuView, words: Words, onOpen: (to: StaffLine['to']) => void) => HTMLElement | undefined}
 */
export function staffLine(view, words, onOpen) {
  const lines = staffLines(view, words);
  if (lines.length === 0) return undefined;
  const shown = lines.length > linesMost ? lines.slice(0, linesMost - 1) : lines;
  const more = lines.length - shown.length;
  /** @type {StaffLine[]} */
  const rest = more > 0 ? [{ to: 'more', text: words.staff.more.replace('{count}', String(more)) }] : [];
  return element(
    'div',
    { id: 'waiting' },
    ...[...shown, ...rest].map(({ to, text }) =>
      button({ 'data-action': to }, () => onOpen(to), icon(drawings[to] ?? 'about'), element('span', {}, text)),
    ),
  );
}
