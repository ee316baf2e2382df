// A till in the cloud, by the broker of docs/cloud.md: node cloud-till.mjs pair, then node cloud-till.mjs pay 30
import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { connectAsync } from 'mqtt';
import { Client, mqttFetch, pair } from 'poid/client';

const [command = 'pay', amount = '30'] = process.argv.slice(2);
const { BROKER = 'mqtts://127.0.0.1:8883', TERMINAL = 'T-1' } = process.env;
const posId = 'CLOUD-1';
const [ca, cert, secret] = await Promise.all(['ca.pem', 'till.pem', 'till.key'].map((file) => readFile(file)));
const broker = await connectAsync(BROKER, { protocolVersion: 5, ca, cert, key: secret });
const terminal = { url: `https://${TERMINAL.toLowerCase()}.poid`, fetch: mqttFetch(broker, { terminal: TERMINAL }) };

if (command === 'pair') {
  const input = createInterface({ input: process.stdin, output: process.stderr });
  const typedCode = () => input.question('The six digits that the terminal shows: ');
  const key = await pair({ ...terminal, posId, typedCode });
  input.close();
  await writeFile('till-key.json', JSON.stringify(key), { mode: 0o600 });
  console.log('paired');
} else {
  const key = JSON.parse(await readFile('till-key.json', 'utf8'));
  const client = new Client({ ...terminal, key });
  const sale = { posId, messageId: randomUUID(), transactionType: 'SALE', requestAmount: Number(amount) };
  // A till writes the request to its disk here. After a crash it asks client.outcome(sale) before it sells again.
  const { is, answer, trouble } = await client.pay({ ...sale, currency: 'HKD' });
  const { refundedAmount } = answer?.transactionResult ?? answer?.transactionPrintData ?? {};
  const since = refundedAmount === undefined ? '' : `, and ${refundedAmount} of it refunded since`;
  if (is === 'done') console.log(`paid${since}: ${answer.terminalTransactionId}`);
  else if (is === 'undone') console.log(`paid, and taken back since: ${answer.terminalTransactionId}`);
  else if (is === 'notDone') console.log(`not paid: ${answer.reason}: ${answer.text?.en}`);
  else console.log(`unknown, do not charge again: ${trouble ?? answer?.text?.en}`);
  process.exitCode = is === 'unknown' ? 1 : 0;
}
await broker.endAsync();
