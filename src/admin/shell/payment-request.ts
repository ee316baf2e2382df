import type { Fields, Identity } from '../../pos/client/client.ts';
import { presentsCard, transactionTypes } from '../../base/domain/transaction-kind.ts';
import { UsageError } from '../../base/usage-error.ts';
import { amountField, parseAmount, parseCurrency } from './money.ts';
import { textOf, type Till, type TillFlags, wholeSeconds } from './till.ts';

type Request = Identity & Fields & { readonly transactionType: string };

/** The payment app starts with the method that the simulator's customer presents, unless --method is given. */
const instruments: Readonly<Record<string, string>> = {
  visa: 'VISA',
  master: 'MASTER',
  mastercard: 'MASTER',
  amex: 'AMEX',
  jcb: 'JCB',
  unionpay: 'UNIONPAY',
  octopus: 'OCTOPUS',
  eps: 'EPS',
};

/** A PosRequest of the flags; `type` is one of the table's choices. Throws UsageError for contradictory flags. */
export function paymentRequest(till: Till, flags: TillFlags, amount: string | undefined, type: string): Request {
  const currency = parseCurrency(textOf(flags, 'currency') ?? 'HKD');
  const money = (name: string) => {
    const text = textOf(flags, name);
    return text === undefined ? undefined : amountField(parseAmount(text, currency));
  };
  const fields = {
    ...till.identity(textOf(flags, 'id')),
    transactionType: type,
    originalTerminalTransactionId: textOf(flags, 'of'),
    requestAmount: amount === undefined ? undefined : amountField(parseAmount(amount, currency)),
    currency: amount === undefined ? undefined : currency,
    preferredInstrument: instrumentOf(flags, type),
    preferredEntryMode: textOf(flags, 'entry-mode'),
    forceAcquirer: textOf(flags, 'acquirer')?.toUpperCase(),
    tipAmount: money('tip'),
    askTip: flags['ask-tip'],
    cashbackAmount: money('cashback'),
    approvalCode: textOf(flags, 'approval'),
    collectTimeoutSeconds: flags['collect'] === undefined ? undefined : wholeSeconds(flags, 'collect', 0),
    merchantId: textOf(flags, 'merchant'),
    cashierId: textOf(flags, 'cashier'),
    shiftId: textOf(flags, 'shift'),
    posReference: textOf(flags, 'reference'),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Request;
}

/** Only where the customer presents something. A simulated card is simply presented: the reader takes any. */
function instrumentOf(flags: TillFlags, type: string): string | undefined {
  const method = textOf(flags, 'method')?.toUpperCase();
  const card = textOf(flags, 'card')?.toLowerCase();
  if (method !== undefined || card === undefined) return method;
  const kind = transactionTypes.find((each) => each === type);
  if (kind === undefined || !presentsCard(kind)) throw new UsageError(`no card is presented for ${type}`);
  const [brand = ''] = card.split('-');
  const instrument = instruments[brand];
  if (flags['sim'] !== undefined) return instrument === 'OCTOPUS' || instrument === 'EPS' ? instrument : undefined;
  if (instrument !== undefined) return instrument;
  throw new UsageError(`--card takes ${Object.keys(instruments).join(', ')}, or with --sim a card of the simulator`);
}
