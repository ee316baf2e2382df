import { type Amount } from '../../base/domain/amount.ts';
import { isCurrencyCode } from '../../base/domain/currency.ts';
import { showsCardNumber } from '../../base/domain/masking.ts';
import type { PaymentFields, PosAnswer } from '../contracts/pos-calls.ts';
import { numberOf, readAmount } from './amounts.ts';
import { encodePairs, readPairs } from './form-pairs.ts';
import { messageIdOf } from './identity.ts';
import type { Claimed, KnownMessage, Prepared } from './known-messages.ts';
import type { PaymentRequest } from './messages.ts';
import { type Asked, bodyOf, carryOut, type NexoParts } from './outcome.ts';
import { failure, failureOf, type NexoResponse, success } from './response.ts';
import { brands, describeTransaction, describingPairs, paymentResult, poiData } from './transaction-body.ts';

/** What becomes of a message: an answer, its refusal as a message, or no answer at all. */
export type Handled = { readonly response: object } | { readonly rejected: string } | 'empty' | 'open';

const reused = 'another message of the last 48 hours had this ServiceID';
const voidFirst = failure('Aborted', 'The message was aborted or asked for before it came. Nothing was started.');
const full = failure('Busy', 'Too many messages came in the last hour. Nothing was started.');
const unwritten = failure('UnavailableService', "The terminal can't write to its disk. Nothing was started.");

/** Waits until a claimed message is on disk. A response if it is not to be carried out. */
export async function refusalOfClaim(claimed: Claimed): Promise<NexoResponse | 'other' | undefined> {
  if (claimed.kind === 'other') return 'other';
  if (claimed.kind === 'void') return voidFirst;
  if (!('message' in claimed)) return full;
  const { message } = claimed;
  const refused = await message.ready.catch(() => unwritten);
  return refused ?? (message.isAborted && !message.isStarted ? voidFirst : undefined);
}

export async function handlePayment(request: PaymentRequest, asked: Asked, parts: NexoParts): Promise<Handled> {
  const { SaleData } = request;
  const { SaleTransactionID: sale } = SaleData;
  const { SaleID: saleId, ServiceID: serviceId } = asked.header;
  const { posId, digest } = asked;
  const category = 'Payment';
  const transaction = [sale.TransactionID, sale.TimeStamp];
  const messageId = messageIdOf({ saleId, serviceId, category, transaction });
  const answerOf = (response: NexoResponse, body: object = {}) => ({
    response: { Response: response, SaleData: { SaleTransactionID: sale }, ...withPoiData(body, messageId, parts) },
  });
  const pairs = readPairs(SaleData.SaleToAcquirerData ?? '');
  const named = { posId, saleId, serviceId, category, digest, messageId, transaction } as const;
  const translating = () => translate({ request, pairs, messageId }, asked, parts);
  const claimed = parts.messages.claim(named, async (): Promise<Prepared> => {
    const translated = await translating();
    return 'fields' in translated ? {} : { refused: translated };
  });
  const refused = await refusalOfClaim(claimed);
  if (refused === 'other' || !('message' in claimed)) {
    return typeof refused === 'object' ? answerOf(refused) : { rejected: reused };
  }
  if (refused) return answerOf(refused);
  const { message } = claimed;
  const allowed = await onlyAcquirer(request, asked, parts);
  const answer = await carryOut(message, () => pay(message, translating, allowed.fields, asked, parts), asked, parts);
  if (!answer) return 'open';
  // The terminal has an older transaction of this identity, with another content.
  if (bodyOf(answer).reason === 'messageIdReused') return { rejected: reused };
  const described = await paymentBody(answer, message, asked, parts, { ...allowed.pairs, ...metadataOf(pairs) });
  return { response: { ...described, SaleData: { SaleTransactionID: sale } } };
}

/** A repeat that this terminal could not carry out any more gets the outcome of the first. */
async function pay(
  { posId, messageId }: KnownMessage,
  translating: () => ReturnType<typeof translate>,
  more: object | undefined,
  { caller }: Asked,
  { calls }: NexoParts,
): Promise<PosAnswer> {
  const translated = await translating();
  if ('fields' in translated) return calls.payment({ ...translated.fields, ...more }, caller);
  return calls.enquiry({ posId, messageId }, caller);
}

/** The acquirer that alone takes the allowed brands. If there are several, the brands have no effect. */
async function onlyAcquirer({ PaymentTransaction }: PaymentRequest, { caller }: Asked, { calls }: NexoParts) {
  const allowed = PaymentTransaction.TransactionConditions?.AllowedPaymentBrand ?? [];
  if (allowed.length === 0) return {};
  const { methods = [] } = bodyOf(await calls.capabilities({ query: new URLSearchParams() }, caller)) as Capabilities;
  const schemes = allowed.map((brand) => schemeOf(brand));
  const takers = methods.filter(({ paymentMethods }) => schemes.some((each) => paymentMethods.includes(each)));
  const [acquirer, ...others] = [...new Set(takers.flatMap(({ acquirers }) => acquirers))];
  if (acquirer !== undefined && others.length === 0) return { fields: { forceAcquirer: acquirer } };
  return { pairs: { warning: 'AllowedPaymentBrand has no effect: several acquirers take these brands, or none' } };
}

function schemeOf(brand: string): string {
  const known = Object.entries(brands).find(([, name]) => name === brand.toLowerCase());
  return known ? known[0] : brand.toUpperCase();
}

function withPoiData(body: object, messageId: string, { clock }: NexoParts) {
  return { POIData: poiData({}, messageId, clock.now()), ...body };
}

/** The elements of a PaymentResponse that the terminal's answer decides. */
export async function paymentBody(
  answer: PosAnswer,
  message: KnownMessage,
  { caller }: Pick<Asked, 'caller'>,
  { calls, clock }: Pick<NexoParts, 'calls' | 'clock'>,
  more: Readonly<Record<string, string>> = {},
): Promise<object> {
  const body = bodyOf(answer);
  const described = await describeTransaction(body, calls, caller);
  const result = paymentResult(described);
  const pairs = { ...describingPairs(described, body), ...more };
  const isDone = body.responseResult === 'SUCCESS';
  return {
    Response: isDone ? successOf(described.data, pairs) : failureOf(answer.status, body, pairs),
    POIData: poiData(body, message.messageId, clock.now()),
    ...(result && isDone ? { PaymentResult: result } : {}),
    PaymentReceipt: described.receipts,
  };
}

function successOf(
  { remainingAmount }: Readonly<Record<string, unknown>>,
  pairs: Readonly<Record<string, string | undefined>>,
): NexoResponse {
  const AdditionalResponse = encodePairs(pairs);
  const isPart = typeof remainingAmount === 'number' && remainingAmount > 0;
  return { ...(isPart ? { Result: 'Partial' } : success), AdditionalResponse };
}

const metadataMax = 16;

/** The till's own data, which comes back with the answer; never what may be a card number. */
function metadataOf(pairs: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  const own = [...pairs].filter(([name]) => /^metadata\.[\w.-]{1,64}$/.test(name));
  const fit = own.filter(([name, value]) => value.length <= 256 && !showsCardNumber(name, value));
  return Object.fromEntries(fit.slice(0, metadataMax));
}

interface Translated {
  readonly request: PaymentRequest;
  readonly pairs: ReadonlyMap<string, string>;
  readonly messageId: string;
}

/** The fields of the call; a response if this terminal can't do what is asked. */
async function translate(
  { request, pairs, messageId }: Translated,
  asked: Asked,
  parts: NexoParts,
): Promise<{ readonly fields: PaymentFields } | NexoResponse> {
  const { SaleData, PaymentTransaction, PaymentData } = request;
  const { AmountsReq, OriginalPOITransaction: original, TransactionConditions: terms } = PaymentTransaction;
  const impossible = impossibility(request);
  if (impossible) return impossible;
  const amounts = amountsOf(AmountsReq);
  if ('Result' in amounts) return amounts;
  const { amount, tip } = amounts;
  const originalId = original?.POITransactionID.TransactionID;
  const type = await typeOf(PaymentData?.PaymentType ?? 'Normal', { pairs, originalId }, asked, parts);
  if (typeof type === 'object') return type;
  const tender = (pairs.get('tenderOption') ?? '').split(',').map((each) => each.trim());
  const isSale = type === 'SALE';
  const asksTip = isSale && !tip && tender.includes('AskGratuity');
  const fields = {
    posId: asked.posId,
    messageId,
    transactionType: type,
    requestAmount: numberOf(amount),
    currency: amount.currency,
    ...(tip ? { tipAmount: numberOf(tip) } : {}),
    ...(asksTip ? { askTip: true } : {}),
    ...(isSale && !tip && !asksTip && tender.includes('AllowPartialAuthorisation') ? { allowPartial: true } : {}),
    ...(originalId !== undefined && type !== 'SALE' && type !== 'AUTH'
      ? { originalTerminalTransactionId: originalId }
      : {}),
    ...(terms?.ForceEntryMode?.includes('Scanned') && isSale ? { preferredEntryMode: 'QR_SCAN' } : {}),
    ...detail('posReference', SaleData.SaleTransactionID.TransactionID, 64),
    ...detail('cashierId', SaleData.OperatorID, 32),
    ...detail('shiftId', SaleData.ShiftNumber, 32),
  };
  return { fields };
}

/** Why this terminal can't do it whatever the amount; undefined if it may. */
function impossibility({ PaymentData, PaymentTransaction }: PaymentRequest): NexoResponse | undefined {
  const { AmountsReq, TransactionConditions: terms } = PaymentTransaction;
  const { CardAcquisitionReference: reference } = PaymentData ?? {};
  if (reference !== undefined && reference !== null)
    return failure('NotFound', 'This terminal has no card acquisitions.');
  if (AmountsReq.CashBackAmount && /[1-9]/.test(AmountsReq.CashBackAmount.source))
    return failure('NotAllowed', 'CashBackAmount is not possible on this terminal.');
  const modes = terms?.ForceEntryMode ?? [];
  if (modes.length > 0 && modes.every((each) => each === 'Keyed' || each === 'Manual' || each === 'File'))
    return failure('NotAllowed', 'Card numbers can not be entered on this terminal.');
  return undefined;
}

/** The whole amount and the tip within it. */
function amountsOf({
  Currency,
  RequestedAmount,
  TipAmount,
}: PaymentRequest['PaymentTransaction']['AmountsReq']):
  | { readonly amount: Amount; readonly tip?: Amount }
  | NexoResponse {
  const currency = Currency.toUpperCase();
  if (!isCurrencyCode(currency)) return failure('PaymentRestriction', 'The till sent an unknown currency.');
  const requested = readAmount(RequestedAmount, currency);
  const tip = TipAmount ? readAmount(TipAmount, currency) : { minor: 0n, currency };
  if (!requested || !tip) return failure('PaymentRestriction', "The till sent an amount that can't be paid.");
  if (tip.minor === 0n) return { amount: requested };
  return { amount: { minor: requested.minor + tip.minor, currency }, tip };
}

type PaymentType = NonNullable<NonNullable<PaymentRequest['PaymentData']>['PaymentType']>;

async function typeOf(
  type: PaymentType,
  { pairs, originalId }: Pick<Translated, 'pairs'> & { readonly originalId: string | undefined },
  asked: Asked,
  parts: NexoParts,
): Promise<string | NexoResponse> {
  switch (type) {
    case 'Normal':
      return parts.preAuth && pairs.get('authorisationType') === 'PreAuth' ? 'AUTH' : 'SALE';
    case 'Refund':
      return 'REFUND';
    case 'FirstReservation':
      return 'AUTH';
    case 'Completion':
      return originalId === undefined
        ? failure('NotFound', 'A completion names its authorization in OriginalPOITransaction.')
        : completionOf(originalId, asked, parts);
    default:
      return failure('NotAllowed', `PaymentType ${type} is not possible on this terminal.`);
  }
}

interface Capabilities {
  readonly methods?: readonly {
    readonly paymentMethods: readonly string[];
    readonly acquirers: readonly string[];
    readonly schemes: readonly {
      readonly paymentMethod: string;
      readonly authorizations?: { readonly completedBy?: string };
    }[];
  }[];
}

/** How the card of an authorization is charged. */
async function completionOf(
  originalId: string,
  { caller }: Asked,
  { calls }: NexoParts,
): Promise<string | NexoResponse> {
  const unknown = failure('NotFound', 'This terminal does not know the earlier transaction.');
  const { transactionResult, transactionPrintData } = bodyOf(
    await calls.enquiry({ terminalTransactionId: originalId }, caller),
  ) as {
    readonly transactionResult?: { readonly paymentMethod?: string };
    readonly transactionPrintData?: { readonly paymentBrand?: string };
  };
  const scheme = transactionResult?.paymentMethod ?? transactionPrintData?.paymentBrand;
  if (scheme === undefined) return unknown;
  const { methods = [] } = bodyOf(await calls.capabilities({ query: new URLSearchParams() }, caller)) as Capabilities;
  const known = methods.flatMap(({ schemes }) => schemes).find(({ paymentMethod }) => paymentMethod === scheme);
  return known?.authorizations?.completedBy ?? failure('NotAllowed', 'This authorization can not be completed here.');
}

/** A detail of the till as one printable line; left out if nothing of it can be printed. */
function detail(name: string, text: string | null | undefined, most: number): Readonly<Record<string, string>> {
  const clean = (text ?? '').toWellFormed().replaceAll(/[\p{C}\p{Zl}\p{Zp}\uFFFD]/gu, ' ');
  const cut = clean
    .slice(0, most)
    .replace(/\p{Cs}$/u, '')
    .trim();
  return cut === '' || showsCardNumber(cut) ? {} : { [name]: cut };
}
