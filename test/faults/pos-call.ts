import { type Amount, majorText } from '../../src/base/domain/amount.ts';
import type { PaymentRequest } from '../../src/payment/terminal/request.ts';
import type { Dice } from './dice.ts';

/** The content of a POS request, independent of its JSON form. */
export type Wanted = Omit<PaymentRequest, 'digest' | 'shape' | 'printedBy'>;

/**
 * The body of POST /sp/v1/payment. One request has many forms: the order of its fields, 10 or 10.00, and an absent
 * value as '', null or no field.
 */
export function bodyText(wanted: Wanted, dice: Dice): string {
  const { currency } = wanted.amount;
  const minor = (value = 0n) => (value === 0n ? undefined : number({ minor: value, currency }, dice));
  const fields: readonly (readonly [name: string, json: string | undefined])[] = [
    ['posId', JSON.stringify(wanted.posId)],
    ['messageId', JSON.stringify(wanted.messageId)],
    ['transactionType', JSON.stringify(wanted.type)],
    ['requestAmount', number(wanted.amount, dice)],
    ['currency', JSON.stringify(currency)],
    ['originalTerminalTransactionId', wanted.originalId && JSON.stringify(wanted.originalId)],
    ['preferredEntryMode', JSON.stringify(wanted.preferredEntryMode ?? dice.of(['DEFAULT', '']))],
    ['preferredInstrument', wanted.preferredInstrument && JSON.stringify(wanted.preferredInstrument)],
    ['tipAmount', minor(wanted.tipMinor)],
    ['cashbackAmount', minor(wanted.cashbackMinor)],
    ...(wanted.merchantId === undefined ? [] : [['merchantId', JSON.stringify(wanted.merchantId)] as const]),
    ...(wanted.allowPartial === true ? [['allowPartial', 'true'] as const] : []),
    ...(wanted.askTip === true ? [['askTip', 'true'] as const] : []),
  ];
  const spelled = fields.flatMap(([name, json = dice.of(['""', 'null', ''])]) =>
    json === '' ? [] : [`"${name}":${json}`],
  );
  return `{${(dice.odds(50) ? spelled : spelled.toReversed()).join()}}`;
}

function number(amount: Amount, dice: Dice): string {
  const text = majorText(amount);
  return text.endsWith('.00') && dice.odds(50) ? text.slice(0, -3) : text;
}
