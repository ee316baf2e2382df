import assert from 'node:assert/strict';
import { booked, bookVoid, drained, type Posting } from './books.ts';
import { byScannedCode, byShownCode, shown, type Wallet, type Way } from './customer.ts';
import { expect, type Shop } from './shop.ts';
import type { HttpAnswer, Json } from './stage.ts';
import { isVoidable } from './walk-references.ts';

const scannedWallets = ['ALIPAY', 'WECHAT', 'UPI_QR'] as const;
const shownWallets: readonly Wallet[] = [...scannedWallets, 'FPS'];

function scanned({ chance }: Shop): Way {
  return byScannedCode(chance.of(scannedWallets));
}

export async function wallet(shop: Shop): Promise<void> {
  const way = shop.chance.once(2) ? scanned(shop) : byShownCode(shop.chance.of(shownWallets));
  expect(await shop.paid('SALE', way), 'SUCCESS', way.name);
}

export async function walletDeclined(shop: Shop): Promise<void> {
  const answer = await shop.during('QR', { decline: '1201' }, () => shop.paid('SALE', scanned(shop)));
  expect(answer, 'DECLINED', 'a wallet with too little in it');
}

/** The customer is asked for the password, and enters it or not. The POS cancels before that, or too late. */
export async function walletAsked(shop: Shop): Promise<void> {
  const { chance } = shop;
  const way = scanned(shop);
  const end = chance.of(['confirm', 'refuse', 'cancel', 'confirmAndCancel'] as const);
  await shop.during('QR', { customer: 'password' }, async () => {
    const cents = shop.cents();
    const { request, answer } = shop.stage.begun({ ...way.request, requestAmount: cents / 100 });
    await way.present(shop.stage);
    await shop.stage.view(({ hint }) => hint === 'confirmOnPhone');
    if (end === 'confirm' || end === 'confirmAndCancel') await shop.stage.does('/api/wallet/confirm');
    if (end === 'refuse') await shop.stage.does('/api/wallet/refuse');
    if (end === 'cancel' || end === 'confirmAndCancel') await shop.stage.cancel(request);
    const { body } = shop.heard('SALE', way, cents, request, await answer);
    const result = end === 'refuse' ? 'DECLINED' : end === 'cancel' ? 'TRANSACTION_ALREADY_CANCEL' : 'SUCCESS';
    assert.equal(body.responseResult, result, `${end}: ${body.message}`);
  });
}

/** A code is cancelled; the customer has paid it by then, or not. */
export async function codeCancelled(shop: Shop): Promise<void> {
  const { chance, stage } = shop;
  const scheme = chance.of(shownWallets);
  const way = byShownCode(scheme);
  const cents = shop.cents();
  const { request, answer } = stage.begun({ ...way.request, requestAmount: cents / 100 });
  const { code, transaction } = await shown(stage, 'QR_PRESENT');
  const paid = chance.once(2);
  if (paid) await stage.payCode(code);
  if (chance.once(2)) await stage.cancel(request);
  else await stage.action(transaction, { kind: 'cancel' });
  const { body } = shop.heard('SALE', way, cents, request, await answer);
  assert.equal(body.responseResult, paid ? 'SUCCESS' : 'TRANSACTION_ALREADY_CANCEL', body.message);
}

interface Outage {
  readonly mode: Json;
  /** Expected outcomes of a scanned payment, a refund and a void. */
  readonly result: 'SUCCESS' | 'ERROR';
}

/** Host modes without an outcome in the answer: an enquiry finds it, if the host answers that. */
const outages: readonly Outage[] = [
  { mode: { mode: 'silent' }, result: 'SUCCESS' },
  { mode: { mode: 'closeAfterRequest' }, result: 'SUCCESS' },
  { mode: { mode: 'garbage' }, result: 'SUCCESS' },
  { mode: { mode: 'duplicate' }, result: 'SUCCESS' },
  { mode: { outcome: 'unknown' }, result: 'SUCCESS' },
  { mode: { outcome: 'unknownLost' }, result: 'ERROR' },
  { mode: { mode: 'down' }, result: 'ERROR' },
  { mode: { mode: 'closeAfterRequest', enquiries: true }, result: 'ERROR' },
  { mode: { mode: 'garbage', enquiries: true }, result: 'ERROR' },
];

/** A queued undo goes before the next payment, and takes as long as the host's query lag. */
export async function walletOutage(shop: Shop): Promise<void> {
  await drained(shop.stage);
  await outage(shop);
  await drained(shop.stage);
}

async function outage(shop: Shop): Promise<void> {
  const { chance } = shop;
  const original = chance.once(2)
    ? shop.some(
        ({ acquirer, kind, ...rest }) =>
          acquirer === 'QR' && kind === 'SALE' && isVoidable({ acquirer, kind, ...rest }),
      )
    : undefined;
  // A refund that its host never shows stays unknown until the operator decides, half an hour later.
  const { mode, result } = chance.of(
    original ? outages.filter((each) => each.mode.outcome !== 'unknownLost') : outages,
  );
  const what = `with the host ${JSON.stringify(mode)}`;
  if (original) return givenBack(shop, original, mode, result, what);
  if (chance.once(3)) {
    // Without an answer there is no code to show.
    const way = byShownCode(chance.of(shownWallets));
    const works = mode.mode === 'duplicate';
    const present = works ? way.present : () => Promise.resolve();
    const answer = await shop.during('QR', mode, () => shop.paid('SALE', way, { present }));
    // FPS gives nothing back, so only an enquiry may show the outcome.
    const isUnknown = way.method === 'FPS' && answer.body.responseResult === 'UNKNOWN';
    return expect(answer, works ? 'SUCCESS' : isUnknown ? 'UNKNOWN' : 'ERROR', `a shown code ${what}`);
  }
  const answer = await shop.during('QR', mode, () => shop.paid('SALE', scanned(shop)));
  expect(answer, result, `a scanned code ${what}`);
}

async function givenBack(shop: Shop, original: Posting, mode: Json, result: string, what: string): Promise<void> {
  const type = shop.chance.of(['VOID', 'REFUND']);
  const answer: HttpAnswer = await shop.during('QR', mode, () => shop.refer(type, original, original.cents));
  const isSent = mode.mode !== 'down';
  expect(answer, result === 'ERROR' && isSent ? 'UNKNOWN' : result, `${type} ${what}`);
  if (!isSent) return;
  await drained(shop.stage);
  const reported = await shop.stage.enquiry(answer.body);
  expect(reported, 'SUCCESS', `in the end: ${type} ${what}`);
  if (type === 'VOID') {
    bookVoid(original, reported.body);
    return;
  }
  original.refundedCents += original.cents;
  shop.postings.push(booked('REFUND', original.way, original.cents, reported.body, { refundOf: original }));
}
