import * as z from 'zod';
import { type Amount, majorText, parseMajor } from '../../base/domain/amount.ts';
import { type CurrencyCode, isCurrencyCode } from '../../base/domain/currency.ts';
import type { TillCart, TillView } from '../../payment/contracts/screen.ts';
import { type ApiParts, refusalAnswer } from './call.ts';
import { type Answer, errorAnswer } from './pos-response.ts';
import {
  expectation,
  identifier,
  inputFaults,
  isRefusal,
  jsonObject,
  optional,
  printableText,
  type InputRefusal,
  refusal,
} from './input.ts';
import { JsonNumber } from '../contracts/pos-calls.ts';

const number = z.instanceof(JsonNumber, { error: expectation('a number') });
const [textLinesMax, cartLinesMax, secondsMax] = [8, 50, 3_600];

const cart = z.strictObject(
  {
    currency: z.string({ error: expectation('a string') }).describe('ISO 4217 alpha-3'),
    lines: z
      .array(
        z.strictObject(
          {
            name: printableText(60),
            quantity: optional(
              number.refine(({ source }) => /^\d{1,5}(\.\d{1,3})?$/.test(source), 'must have at most three decimals'),
            ),
            amount: number.describe('major units; a discount is negative'),
          },
          jsonObject,
        ),
        { error: expectation('an array') },
      )
      .max(cartLinesMax, `must have at most ${cartLinesMax} lines`),
    total: number.describe('major units'),
  },
  jsonObject,
);

export const displayRequest = z.strictObject(
  {
    posId: identifier,
    messageId: optional(identifier).describe('repeated in the answer'),
    text: optional(
      z
        .array(printableText(60), { error: expectation('an array') })
        .max(textLinesMax, `must have at most ${textLinesMax} lines`),
    ).describe('lines of text; without text and cart, what this till has shown is taken away'),
    cart: optional(cart).describe('what is sold so far, the newest last'),
    seconds: optional(
      number
        .refine(({ source }) => isSeconds(Number(source)), `must be a whole number from 1 to ${secondsMax}`)
        .meta({ multipleOf: 1, minimum: 1 }),
    ).describe('for how long; the configuration’s time if absent'),
  },
  jsonObject,
);

function isSeconds(seconds: number): boolean {
  return Number.isInteger(seconds) && seconds >= 1 && seconds <= secondsMax;
}

/** POST /sp/v1/display: shows a text or a cart of the till on the idle screen. */
export async function display(body: unknown, { counter: { display: screen } }: ApiParts): Promise<Answer> {
  const parsed = displayRequest.safeParse(body);
  if (!parsed.success) {
    const errors = inputFaults(parsed.error, Object.keys(displayRequest.shape));
    return refusalAnswer(400, { result: 'INVALID_PARAMETER', errors }, body);
  }
  const { posId, messageId, seconds } = parsed.data;
  const view = tillViewOf(parsed.data);
  if (isRefusal(view)) return refusalAnswer(400, view, body);
  const identity = { posId, ...(messageId === undefined ? {} : { messageId }) };
  const nothing = { ...identity, financialImpact: 'NONE' } as const;
  if (screen.refusal) return errorAnswer(422, 'ERROR', screen.refusal, nothing);
  const isEmpty = view.text === undefined && view.cart === undefined;
  const ms = seconds && Number(seconds.source) * 1_000;
  const shown = isEmpty ? screen.clear(posId) : screen.display(view, ms);
  if (shown === 'cardNumber') {
    const message = 'must not show a card number';
    const pointer = view.cart ? '/cart' : '/text';
    return refusalAnswer(422, refusal('INVALID_PARAMETER', 'cardNumberNotAllowed', pointer, message), body);
  }
  if (shown === 'busy') {
    const refusal = { reason: 'busy', message: 'a payment has the screen' } as const;
    return errorAnswer(409, 'ERROR', refusal, nothing);
  }
  const displayStatus = shown.toUpperCase();
  return { status: 200, body: { ...identity, responseResult: 'SUCCESS', responseCode: 0, displayStatus } };
}

function tillViewOf({ posId, text = [], cart: sold }: z.infer<typeof displayRequest>): TillView | InputRefusal {
  if (text.length > 0 && sold) {
    return refusal('INVALID_PARAMETER', 'fieldMisplaced', '/cart', 'must not be beside text');
  }
  if (!sold) return text.length > 0 ? { posId, text } : { posId };
  const shown = cartOf(sold);
  return isRefusal(shown) ? shown : { posId, cart: shown };
}

function cartOf({ currency, lines, total }: z.infer<typeof cart>): TillCart | InputRefusal {
  if (!isCurrencyCode(currency)) {
    return refusal('INVALID_PARAMETER', 'currencyUnknown', '/cart/currency', 'must be a currency of ISO 4217');
  }
  const sum = amountText(total, currency);
  const amounts = lines.map(({ amount }) => amountText(amount, currency));
  const wrong = amounts.indexOf(undefined);
  if (sum === undefined || wrong >= 0) {
    const pointer = sum === undefined ? '/cart/total' : `/cart/lines/${wrong}/amount`;
    return refusal('INVALID_PARAMETER', 'amountInvalid', pointer, 'must be an amount of that currency');
  }
  return {
    currency,
    lines: lines.map(({ name, quantity }, at) => ({
      name,
      ...(quantity === undefined ? {} : { quantity: quantity.source }),
      amount: amounts[at] ?? '',
    })),
    total: sum,
  };
}

/** '30.00', '-1.50': in major units, with the decimals of the currency. */
function amountText({ source }: JsonNumber, currency: CurrencyCode): string | undefined {
  const parsed: Amount | string = parseMajor(source.replace(/^-/, ''), currency);
  if (typeof parsed === 'string') return undefined;
  return majorText(source.startsWith('-') ? { ...parsed, minor: -parsed.minor } : parsed);
}
