import type { ApiParts } from '../../src/api/call.ts';
import { parseJson } from '../../src/api/json.ts';
import { payment } from '../../src/api/payment.ts';
import { type Amount, majorText } from '../../src/domain/amount.ts';
import type { PaymentRequest } from '../../src/terminal/request.ts';
import type { PayAnswer, Terminal } from '../../src/terminal/terminal.ts';
import { profiles } from './daemon.ts';
import type { Dice } from './dice.ts';

/** What a POS wants; how it spells that is another matter. */
export type Wanted = Omit<PaymentRequest, 'digest' | 'shape'>;

/** What the POS hears, and what the terminal has said to it; the latter not where the API refused on its own. */
export interface Heard {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly answer?: PayAnswer;
}

const shop = { name: 'Harbour Tea House', address: '1 Pier Road, Hong Kong', phone: '', email: '', logo: '' };
const equipment = { scanner: true, pinPad: true };

/** POST /sp/v1/payment without its wire: the body as text, spelled as chance has it, and the answer's body. */
export async function paid(terminal: Terminal, wanted: Wanted, dice: Dice): Promise<Heard> {
  let answer: PayAnswer | undefined;
  const parts: Partial<ApiParts> = {
    terminal: Object.assign(Object.create(terminal) as Terminal, {
      enquire: (posId: string, messageId: string) => terminal.enquire(posId, messageId),
      pay: async (request: PaymentRequest) => (answer = await terminal.pay(request)),
    }),
    profiles,
    equipment,
    shop,
    shapeFor: () => 'A',
  };
  const { status, body } = await payment(parseJson(bodyText(wanted, dice)), parts as ApiParts);
  return { status, body: body as Heard['body'], ...(answer ? { answer } : {}) };
}

/** One request has many spellings: the order of its fields, 10 or 10.00, and nothing as '', null or no field at all. */
function bodyText(wanted: Wanted, dice: Dice): string {
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
