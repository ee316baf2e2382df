import { styleText } from 'node:util';
import type { Answer } from '../../pos/client/client.ts';
import { ask, entriesOf, queryOf } from './asked.ts';
import { columns } from './columns.ts';
import { moneyText } from './money.ts';
import { amountTexts } from './said.ts';
import { Till, type TillFlags } from './till.ts';
import { shown, shownLines } from './shown.ts';

type Entry = Readonly<Record<string, unknown>>;

/** `poid status`. */
export async function status(flags: TillFlags): Promise<number> {
  return ask(new Till(flags), flags, { method: 'GET', path: '/sp/v1/status' }, statusText);
}

function statusText(answer: Answer): string {
  const { state, ready, running, message, journal, version } = answer as Readonly<Record<string, unknown>>;
  const colour = ready === true ? 'green' : 'yellow';
  const devices = Object.entries((answer['devices'] ?? {}) as Record<string, Entry>);
  const acquirers = entriesOf(answer, 'acquirers');
  const running_ = running as Entry | undefined;
  return [
    [
      styleText(['bold', colour], ready === true ? 'ready' : 'not ready', { stream: process.stdout }),
      shown(state),
      running_ ? `${shown(running_['posId'])} ${shown(running_['messageId'])}` : '',
      `version ${shown(version)}`,
      `journal ${shown(journal)}`,
    ]
      .filter((each) => each !== '')
      .join('  '),
    ...(message === undefined ? [] : [shown(message)]),
    '',
    columns([['device', 'state', '', ''], ...devices.map(([name, each]) => deviceRow(name, each))]),
    '',
    columns([
      ['acquirer', 'link', 'batch', 'reversals', 'advices', 'for the operator'],
      ...acquirers.map((each) => [
        shown(each['id']),
        shown(each['link']) || '-',
        shown(each['openBatch']),
        shown(each['pendingReversals']),
        shown(each['pendingAdvices']),
        String(countOf(each['unsendable']) + countOf(each['waitingBatches'])),
      ]),
    ]),
  ].join('\n');
}

function deviceRow(name: string, { state, fault, paper, reason, name: own }: Entry): string[] {
  const facts = [
    fault === 'none' ? undefined : fault,
    paper === undefined ? undefined : `paper ${shown(paper)}`,
    reason,
  ];
  return [
    shown(name),
    shown(state),
    shown(own),
    facts
      .map(shown)
      .filter((each) => each !== '')
      .join(', '),
  ];
}

function countOf(list: unknown): number {
  return Array.isArray(list) ? list.length : 0;
}

/** `poid transactions`. */
export async function transactions(flags: TillFlags): Promise<number> {
  const names = {
    since: 'since',
    until: 'until',
    acquirer: 'acquirer',
    batch: 'batch',
    of: 'posId',
    state: 'state',
    merchant: 'merchantId',
  };
  const paging = { limit: 'limit', cursor: 'cursor', order: 'order', last: 'last' };
  const path = queryOf('/sp/v1/transactions', flags, { ...names, ...paging });
  return ask(new Till(flags), flags, { method: 'GET', path }, listText);
}

function listText(answer: Answer): string {
  const rows = entriesOf(answer, 'transactions').map((each) => {
    const { posId, messageId, terminalTransactionId, responseResult } = each;
    const result = (each['transactionResult'] ?? {}) as Entry;
    return [
      shown(result['createTime'])
        .replace('T', ' ')
        .replace(/\+0000$/, 'Z'),
      shown(result['tranType']),
      shown(result['tranStatus'] ?? responseResult),
      [moneyText(result['totalAmount'], result['currency']), ...amountTexts(result)].join(', '),
      shown(result['paymentMethod']),
      shown(result['maskedPan']).slice(-4),
      `${shown(posId)} ${shown(messageId)}`,
      shown(terminalTransactionId),
    ];
  });
  if (rows.length === 0) return 'no transactions';
  const heads = ['time', 'type', 'state', 'amount', 'method', 'card', 'pos and message', 'transaction'];
  const cursor = answer['nextCursor'];
  return [columns([heads, ...rows]), ...(cursor === undefined ? [] : [`more: --cursor ${shown(cursor)}`])].join('\n');
}

/** `poid report`. */
export async function report(flags: TillFlags): Promise<number> {
  const path = queryOf(
    '/sp/v1/report',
    { ...flags, format: flags['csv'] ? 'csv' : undefined },
    {
      acquirer: 'acquirer',
      batch: 'batch',
      merchant: 'merchantId',
      format: 'format',
    },
  );
  const show = (answer: Answer) => (flags['csv'] ? shownLines(String(answer['csv'])).trimEnd() : reportText(answer));
  return ask(new Till(flags), flags, { method: 'GET', path }, show);
}

function reportText(answer: Answer): string {
  const batches = entriesOf(answer, 'batches').flatMap((each) => {
    const head = [shown(each['acquirer']), shown(each['batch']), each['isOpen'] === true ? 'open' : 'closed'];
    return totalRows(each).map((total) => [...head, ...total]);
  });
  const sums = (name: string, title: string) => {
    const rows = entriesOf(answer, name).map((each) => [
      shown(each['name']) || '-',
      shown(each['salesCount']),
      moneyText(each['salesAmount'], each['currency']),
      shown(each['refundsCount']),
      moneyText(each['refundsAmount'], each['currency']),
      moneyText(each['tipAmount'], each['currency']),
      moneyText(each['refundedAmount'] ?? 0, each['currency']),
    ]);
    return rows.length === 0
      ? []
      : ['', columns([[title, 'sales', 'amount', 'refunds', 'amount', 'tips', 'given back of the sales'], ...rows])];
  };
  const cash = entriesOf(answer, 'cash').map((each) => [
    'cash',
    moneyText(each['amount'] ?? each['totalAmount'], each['currency']),
  ]);
  const opened = entriesOf(answer, 'drawerOpenings').map((each) => [
    `drawer opened without a sale, ${shown(each['posId'])} ${shown(each['cashierId'])}`.trim(),
    shown(each['count']),
  ]);
  const sales = (answer as Entry)['drawerSales'];
  const drawer = [...(sales ? [['drawer opened by cash sales', shown(sales)]] : []), ...opened];
  return [
    columns([['acquirer', 'batch', '', 'type', 'count', 'amount'], ...batches]),
    ...sums('paymentMethod', 'method'),
    ...sums('merchantId', 'merchant'),
    ...sums('posId', 'pos'),
    ...sums('cashierId', 'cashier'),
    ...(cash.length === 0 ? [] : ['', columns(cash)]),
    ...(drawer.length === 0 ? [] : ['', columns(drawer)]),
  ].join('\n');
}

/** Type, count and amount of each sum of a batch; one empty row for none. */
export function totalRows(batch: Entry): string[][] {
  const totals = (batch['totals'] ?? []) as readonly Entry[];
  if (totals.length === 0) return [['-', '0', '']];
  return totals.map((each) => [
    shown(each['transactionType']),
    shown(each['count']),
    moneyText(each['totalAmount'], each['currency']),
  ]);
}
