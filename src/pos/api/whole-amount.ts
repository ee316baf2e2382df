import { majorText } from '../../base/domain/amount.ts';
import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';
import { type RecordTree, transactionStatus } from '../../payment/records/transaction-status.ts';
import type { Terminal } from '../../payment/terminal/terminal.ts';
import { JsonNumber } from './json.ts';

/**
 * A void is for the whole amount, so it may leave out amount and currency: the request with those of its original, as it
 * stands now. The terminal checks them again once it is claimed. Any other request is returned as it is. Undefined if
 * the terminal does not know the original.
 */
export async function withWholeAmount(body: unknown, terminal: Pick<Terminal, 'recall'>): Promise<unknown> {
  if (typeof body !== 'object' || body === null) return body;
  const { transactionType: type, originalTerminalTransactionId: id, requestAmount } = body as Partial<Written>;
  if (
    typeof type !== 'string' ||
    !/^VOID(_|$)/.test(type) ||
    typeof id !== 'string' ||
    id.length > 64 ||
    !isAbsent(requestAmount)
  ) {
    return body;
  }
  const tree = await terminal.recall(id as TerminalTransactionId);
  return tree ? { ...body, ...wholeAmount(tree, (body as Partial<Written>).currency) } : undefined;
}

type Written = Readonly<
  Record<'transactionType' | 'originalTerminalTransactionId' | 'requestAmount' | 'currency', unknown>
>;

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function wholeAmount(tree: RecordTree, currency: unknown) {
  const { total } = transactionStatus(tree);
  return {
    requestAmount: new JsonNumber(majorText(total)),
    ...(isAbsent(currency) ? { currency: total.currency } : {}),
  };
}
