// What an idle screen tells the staff: what does not work, and what waits. Each line opens the operator's menu at its place.
import { button, element, icon } from './element.js';

/** More than these are counted: the screen belongs to the customer. */
const linesMost = 4;

const drawings = { receipts: 'receipt', bank: 'bank' };

const ofReader = ['readerAbsent', 'readerConnecting'];
const ofPrinter = ['paperOut', 'printerCoverOpen', 'printerAbsent', 'printerError'];
const ofDrawer = ['drawerShut'];
const ofClock = ['clockWrong', 'clockUnsynchronised'];

/** The lines, what stops a customer first. `to`: the action of the menu that shows more. Pure: takes the menu's view and words. */
export function staffLines({ notices, receipts = 0, waiting, unsettled = [] }, words) {
  const { staff, notices: names } = words;
  const { reversals, advices, rejected, unsendable } = waiting;
  const told = (known) => notices.filter((each) => known.includes(each)).map((each) => names[each]);
  const counted = (text, count) => (count > 0 ? [text.replace('{count}', String(count))] : []);
  const paper = paperLine(told(ofPrinter)[0], receipts, staff);
  const banks = new Intl.ListFormat(words.lang, { type: 'conjunction' }).format(unsettled);
  return [
    ...told(ofReader).map((text) => ({ to: 'devices', text })),
    ...(paper === undefined ? [] : [{ to: 'receipts', text: paper }]),
    ...told(ofDrawer).map((text) => ({ to: 'devices', text })),
    ...counted(staff.unsendable, unsendable).map((text) => ({ to: 'bank', text })),
    ...(unsettled.length > 0 ? [{ to: 'bank', text: staff.unsettled.replace('{acquirers}', () => banks) }] : []),
    ...counted(staff.rejected, rejected).map((text) => ({ to: 'bank', text })),
    ...counted(staff.waiting, reversals + advices).map((text) => ({ to: 'bank', text })),
    ...told(ofClock).map((text) => ({ to: 'about', text })),
  ];
}

/** What is wrong with the printer, and what waits for it. */
function paperLine(trouble, receipts, staff) {
  if (receipts === 0) return trouble;
  const one = trouble === undefined ? staff.receiptWaits : staff.troubleReceiptWaits;
  const many = trouble === undefined ? staff.receiptsWait : staff.troubleReceiptsWait;
  return (receipts === 1 ? one : many).replace('{count}', String(receipts)).replace('{trouble}', () => trouble);
}

/** The lines as buttons; undefined if there is nothing to tell. */
export function staffLine(told, words, onOpen) {
  const lines = staffLines(told, words);
  if (lines.length === 0) return undefined;
  const shown = lines.length > linesMost ? lines.slice(0, linesMost - 1) : lines;
  const more = lines.length - shown.length;
  const rest = more > 0 ? [{ to: 'more', text: words.staff.more.replace('{count}', String(more)) }] : [];
  return element(
    'div',
    { id: 'waiting' },
    ...[...shown, ...rest].map(({ to, text }) =>
      button({ 'data-action': to }, () => onOpen(to), icon(drawings[to] ?? 'about'), element('span', {}, text)),
    ),
  );
}
