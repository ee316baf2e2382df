import type * as z from 'zod';
import { handleDisplay, handlePrint } from './counter.ts';
import { handleDiagnosis } from './diagnosis.ts';
import type { Category } from './header.ts';
import {
  abortRequest,
  diagnosisRequest,
  displayRequest,
  paymentRequest,
  printRequest,
  reversalRequest,
  transactionStatusRequest,
} from './messages.ts';
import type { Asked, NexoParts } from './outcome.ts';
import { type Handled, handlePayment } from './payment.ts';
import { handleAbort, handleTransactionStatus } from './references.ts';
import { failure } from './response.ts';
import { handleReversal } from './reversal.ts';
import { poiData } from './transaction-body.ts';

type Handler = (request: unknown, asked: Asked, parts: NexoParts) => Promise<Handled>;

/** A handler of requests of this schema. */
function reads<Schema extends z.ZodType>(
  schema: Schema,
  handle: (request: z.infer<Schema>, asked: Asked, parts: NexoParts) => Promise<Handled>,
): Handler {
  return async (request, asked, parts) => {
    const { success, data, error } = schema.safeParse(request);
    if (success) return handle(data, asked, parts);
    const place = [`${asked.header.MessageCategory}Request`, ...(error.issues[0]?.path ?? [])].join('.');
    return { rejected: `${place} is missing or not acceptable` };
  };
}

const handlers: Readonly<Partial<Record<Category, Handler>>> = {
  Payment: reads(paymentRequest, handlePayment),
  Reversal: reads(reversalRequest, handleReversal),
  Abort: reads(abortRequest, handleAbort),
  TransactionStatus: reads(transactionStatusRequest, handleTransactionStatus),
  Diagnosis: reads(diagnosisRequest, (_request, asked, parts) => handleDiagnosis(asked, parts)),
  Print: reads(printRequest, handlePrint),
  Display: reads(displayRequest, handleDisplay),
};

/** Their answers come when the customer has paid: the head is sent before. */
const long: ReadonlySet<Category> = new Set(['Payment', 'Reversal', 'Print']);

export function isLong(category: Category): boolean {
  return long.has(category);
}

/** What becomes of a message: of one whose category the terminal does not have, an answer that tells so. */
export function handleMessage(request: unknown, asked: Asked, parts: NexoParts): Promise<Handled> {
  const handle = handlers[asked.header.MessageCategory] ?? refuseService;
  return handle(request, asked, parts);
}

const refuseService: Handler = async (request, { header }, { clock }) => {
  const { MessageCategory: category } = header;
  const Response = failure('UnavailableService', `This terminal has no ${category}.`);
  switch (category) {
    case 'Input':
      return { response: { InputResult: { Device: deviceOf(request), InfoQualify: 'Input', Response } } };
    case 'CardAcquisition': {
      const { SaleData = {} } = (request ?? {}) as { readonly SaleData?: unknown };
      return { response: { Response, SaleData: saleDataOf(SaleData), POIData: poiData({}, 'none', clock.now()) } };
    }
    default:
      return { response: { Response } };
  }
};

function deviceOf(request: unknown): string {
  const { InputData } = (request ?? {}) as { readonly InputData?: { readonly Device?: unknown } };
  return InputData?.Device === 'CashierInput' ? 'CashierInput' : 'CustomerInput';
}

/** Only what PaymentRequest checks is repeated. */
function saleDataOf(written: unknown): object {
  const { success, data } = paymentRequest.shape.SaleData.safeParse(written);
  return success ? { SaleTransactionID: data.SaleTransactionID } : {};
}
