import { byCard, byCash, byEps, byOctopus, byScannedCode, byShownCode } from '../e2e/customer.ts';
import { eventually, type Json } from '../e2e/stage.ts';
import { drained } from '../e2e/books.ts';
import type { Scenes } from './scenes.ts';

const visa = byCard('visa').present;
const unionPay = byCard('unionpay').present;

/** Every way to pay. */
export async function playMethods(scenes: Scenes): Promise<void> {
  for (const [name, summary, way, more] of [
    ['saleByCard', 'A sale by a contactless card', byCard('visa'), {}],
    ['saleByChip', 'A sale by a chip', byCard('mastercard', 'insert'), {}],
    ['saleByScannedCode', 'A sale by the code of the customer’s phone', byScannedCode('ALIPAY'), {}],
    ['saleByShownCode', 'A sale by a code on the screen', byShownCode('WECHAT'), {}],
    ['saleByFps', 'A sale by FPS', byShownCode('FPS'), {}],
    ['saleByUnionPayCode', 'A sale by a UnionPay code', byScannedCode('UPI_QR'), {}],
    ['saleByOctopus', 'A sale by Octopus', byOctopus(), {}],
    ['saleByEps', 'A sale by EPS, with cash for the customer', byEps(), { requestAmount: 130, cashbackAmount: 100 }],
    ['saleByCash', 'A sale by cash, with change', byCash('50'), {}],
    ['saleForTill', 'A sale whose receipt the till prints', byCard('visa'), { posId: 'POS-B' }],
  ] as const) {
    await scenes.pay(name, summary, { ...way.request, ...more }, way.present);
  }
}

function referTo(transactionType: string, { terminalTransactionId, transactionResult }: Json, amount?: number): Json {
  return {
    transactionType,
    originalTerminalTransactionId: terminalTransactionId,
    requestAmount: amount ?? transactionResult.totalAmount,
  };
}

/** Every transaction type. */
export async function playKinds(scenes: Scenes): Promise<void> {
  const { stage } = scenes;
  const sold = async (way = visa, fields: Json = {}): Promise<Json> => {
    const { answer } = stage.begun(fields);
    await way(stage);
    return (await answer).body;
  };
  await scenes.pay('voidSale', 'A sale is voided', referTo('VOID_SALE', await sold()));
  const signed = await sold(byCard('visa', 'fallback').present);
  await scenes.pay('tipAdjust', 'A tip is added to a signed sale', {
    ...referTo('TIP_ADJUST', signed, 33),
    tipAmount: 3,
  });
  await scenes.pay(
    'saleAskTip',
    'The customer is asked for a tip, and adds 10 %',
    { askTip: true },
    async (counter) => {
      await counter.act('chooseTip', { kind: 'tip', amount: '3.00' });
      await visa(counter);
    },
  );
  const auth = await scenes.pay('auth', 'An amount is reserved', { transactionType: 'AUTH' }, unionPay);
  const completed = await scenes.pay('authComp', 'A reserved amount is taken', referTo('AUTH_COMP', auth, 25));
  const held = { posId: auth.posId, messageId: auth.messageId };
  await scenes.post('enquiry', 'enquiryCompleted', 'A part of what it held was taken', held, 'SUCCESS');
  await drained(stage);
  await scenes.pay('voidAuthComp', 'A completion is voided', referTo('VOID_AUTH_COMP', completed));
  const released = await sold(unionPay, { transactionType: 'AUTH' });
  await scenes.pay('voidAuth', 'A reserved amount is released', referTo('VOID_AUTH', released));
  const offline = await scenes.pay(
    'offlineSale',
    'A sale that the terminal approves',
    { transactionType: 'OFFLINE_SALE', approvalCode: '123456' },
    visa,
  );
  await drained(stage);
  await scenes.pay('voidOffline', 'An offline sale is voided', referTo('VOID_OFFLINE', offline));
  const refunded = await scenes.pay('refund', 'A refund to a card', { transactionType: 'REFUND' }, visa);
  await scenes.pay('voidRefund', 'A refund is voided', referTo('VOID_REFUND', refunded));
  const wallet = byScannedCode('ALIPAY');
  const paid = await sold(wallet.present, wallet.request);
  await scenes.pay('refundToWallet', 'A part goes back to a wallet', referTo('REFUND', paid, 10));
  const identity = { posId: paid.posId, messageId: paid.messageId };
  await scenes.post('enquiry', 'enquiryPartlyRefunded', 'A part of it was refunded since', identity, 'SUCCESS');
}

/** What a payment becomes that is not paid. */
export async function playFailures(scenes: Scenes): Promise<void> {
  const { stage } = scenes;
  await stage.host('EDC', { decline: '51' });
  await scenes.pay('declined', 'The bank declines: insufficient funds', {}, visa, 'DECLINED');
  await scenes.pay('declinedForTill', 'Declined, the till prints', { posId: 'POS-B' }, visa, 'DECLINED');
  await stage.host('EDC', { mode: 'down' });
  await scenes.pay('hostDown', 'The bank can’t be reached', {}, visa, 'ERROR');
  await stage.host('EDC', { mode: 'silent', reversals: true });
  const silent = await scenes.pay('noAnswer', 'The bank did not answer: it is being taken back', {}, visa, 'ERROR');
  await stage.host('EDC', { mode: 'up' });
  const answer = await eventually(
    () => stage.enquiry(silent),
    ({ body }) => body.financialImpact === 'REVERSED',
  );
  const identity = { posId: silent.posId, messageId: silent.messageId };
  scenes.keep(
    'enquiryReversed',
    { operation: 'enquiry', summary: 'It was taken back', request: identity },
    answer,
    'ERROR',
  );
  await drained(stage);
  await scenes.pay(
    'octopusUnknown',
    'An Octopus card was pulled away and did not come back',
    byOctopus().request,
    async () => {
      await stage.fault('octopus', { incompleteNext: 'notDeducted' });
      await stage.tapOctopus('octopus');
    },
    'UNKNOWN',
  );
  await scenes.pay(
    'cancelledByCustomer',
    'The customer cancels at the PIN pad',
    byEps().request,
    async () => {
      await stage.swipe('eps');
      await stage.act('chooseAccount', { kind: 'account', account: 'SAVINGS' });
      await stage.does('/api/pin-pad/enter', { key: 'CANCEL' });
    },
    'TRANSACTION_ALREADY_CANCEL',
  );
}
