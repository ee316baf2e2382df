// A till in Node: node till.mjs http://127.0.0.1:8080 30
// A browser imports the same file, dist/client.js.
import { randomUUID } from 'node:crypto';
import { Client } from 'poid/client';

const [url = 'http://127.0.0.1:8080', amount = '30'] = process.argv.slice(2);
const client = new Client({ url });
const request = {
  posId: 'POS-1',
  messageId: randomUUID(),
  transactionType: 'SALE',
  requestAmount: Number(amount),
  currency: 'HKD',
};
// A till writes the request to its disk here. After a crash it asks client.outcome(request) before it sells again.
const { is, answer, trouble } = await client.pay(request);
const { refundedAmount: refunded = 0 } = answer?.transactionResult ?? answer?.transactionPrintData ?? {};
switch (is) {
  case 'done':
    console.log(`paid: ${answer.terminalTransactionId}`);
    if (refunded > 0) console.log(`refunded of it since: ${refunded}`);
    break;
  case 'undone':
    console.log(`paid, and taken back since: ${answer.terminalTransactionId}`);
    break;
  case 'notDone':
    console.log(`not paid: ${answer.reason}: ${answer.text?.en}`);
    break;
  default:
    console.log(`unknown, do not charge again: ${trouble ?? answer?.text?.en}`);
    process.exitCode = 1;
}
