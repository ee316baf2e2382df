import createClient from 'openapi-fetch';
import type { components, paths } from './terminal.js';

/**
 * A till as somebody writes it who has nothing but the document: types by openapi-typescript, calls by openapi-fetch. It
 * prints what it was told. Parameters: the terminal's URL, a messageId, and the terminalTransactionId of a
 * sale that is to be voided.
 */
const [url = '', messageId = '', original] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: url });

const request: components['schemas']['PosRequest'] =
  original === undefined
    ? { posId: 'POS-1', messageId, transactionType: 'SALE', requestAmount: 30, currency: 'HKD' }
    : {
        posId: 'POS-1',
        messageId,
        transactionType: 'VOID_SALE',
        requestAmount: 30,
        currency: 'HKD',
        originalTerminalTransactionId: original,
      };

const { data, error, response } = await client.POST('/sp/v1/payment', { body: request });
if (data === undefined) {
  console.log(JSON.stringify({ status: response.status, reason: error.reason, retryable: error.retryable }));
} else {
  const result = 'transactionResult' in data ? data.transactionResult : undefined;
  const { data: status } = await client.GET('/sp/v1/status');
  console.log(
    JSON.stringify({
      status: response.status,
      result: data.responseResult,
      id: data.terminalTransactionId,
      amount: result?.totalAmount,
      method: result?.paymentMethod,
      state: status?.state,
    }),
  );
}
