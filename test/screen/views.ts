import { terminalTransactionId } from '../../src/base/domain/identifiers.ts';
import type { Signature } from '../../src/base/domain/signature.ts';
import type { ScreenView } from '../../src/payment/contracts/screen.ts';
import type { Happening, NextStep, ReportedOutcome } from '../../src/payment/contracts/reported-outcome.ts';

export const transaction = terminalTransactionId(new Date(0), new Uint8Array(10));

const modes = ['CARD', 'QR_SCAN', 'QR_PRESENT', 'OCTOPUS', 'EPS', 'CASH'] as const;
const asker = { posId: 'W'.repeat(64), cloud: true } as const;
const merchant = 'W'.repeat(64);
const interfaces = ['contactless', 'chip', 'magstripe'] as const;
const wallets = ['ALIPAY', 'WECHAT', 'FPS', 'UPI_QR'] as const;
const price = { amount: '1234.50', currency: 'HKD' };
/** n12 of minor units: the largest that can be paid. */
const largest = { amount: '9999999999.99', currency: 'HKD' };
const runs = { transaction, ...price, modes, cancellable: true };
const asks = { transaction, ...price, scene: 'chooseTip', kind: 'SALE', cancellable: true } as const;
const eightTips = [
  { tip: '123.45', total: '1357.95', percent: 10 },
  { tip: '185.18', total: '1419.68', percent: 15 },
  { tip: '246.90', total: '1481.40', percent: 20 },
  { tip: '308.63', total: '1543.13', percent: 25 },
  { tip: '10.00', total: '1244.50' },
  { tip: '20.00', total: '1254.50' },
  { tip: '50.00', total: '1284.50' },
  { tip: '100.00', total: '1334.50' },
];
const link = 'https://qr.alipay.com/bax00000000000000000000000000000';
/** As long as a payload can be: 512 characters of upper and lower case. */
export const longestCode = Array.from({ length: 512 }, (_, at) => 'aZ0.'[(at * 7) % 4]).join('');

const paid: ReportedOutcome = { money: 'charge-DONE', next: 'thanks' };
const notPaid = (happened: Happening, next: NextStep = 'payOtherWay'): ReportedOutcome => ({
  happened,
  money: 'charge-NONE',
  next,
});

/** As a hand writes: loops from left to right, and a line below. */
export const drawnSignature: Signature = [
  Array.from({ length: 180 }, (_, at) => [
    Math.round(40 + at * 1.6 + 14 * Math.sin(at / 5)),
    Math.round(62 + (34 - at / 9) * Math.cos(at / 5)),
  ]).flat(),
  [60, 112, 200, 104, 340, 98],
];

/** Views as they come, and the worst that can come: the page must be able to show each. */
export const views: Readonly<Record<string, ScreenView>> = {
  idle: { scene: 'idle' },
  'till-text': {
    scene: 'idle',
    till: { posId: 'POS-1', text: ['Approved', 'HKD 1,234.50', '下一位請到二號櫃台', 'W'.repeat(60)] },
  },
  'till-cart': {
    scene: 'idle',
    till: {
      posId: 'POS-1',
      cart: {
        currency: 'HKD',
        lines: [
          { name: '凍檸茶 Iced lemon tea', quantity: '2', amount: '44.00' },
          { name: 'Apples', quantity: '0.350', amount: '12.60' },
          { name: 'Discount', amount: '-5.00' },
        ],
        total: '51.60',
      },
    },
  },
  'till-largest': {
    scene: 'idle',
    till: {
      posId: 'P'.repeat(64),
      cart: {
        currency: 'HKD',
        lines: Array.from({ length: 50 }, (_, at) => ({
          name:
            at % 2 === 0
              ? `${at} ${'長名稱'.repeat(19)}`
              : 'A long name of an article that goes on until it ends here ok',
          quantity: '99999.999',
          amount: '-9999999999.99',
        })),
        total: '9999999999.99',
      },
    },
  },
  tip: {
    ...asks,
    tips: [
      { tip: '123.45', total: '1357.95', percent: 10 },
      { tip: '185.18', total: '1419.68', percent: 15 },
      { tip: '20.00', total: '1254.50' },
    ],
    ownTipMost: '1234.50',
  },
  'tip-most': { ...asks, tips: eightTips, ownTipMost: '1234.50', hint: 'tipNotPossible' },
  'tip-largest': {
    ...asks,
    amount: '5000000000.00',
    tips: Array.from({ length: 8 }, (_, at) => ({
      tip: `499999999${at}.99`,
      total: `999999999${at}.99`,
      ...(at < 4 ? { percent: 100 } : {}),
    })),
    ownTipMost: '4999999999.99',
  },
  'tip-no-own': { ...asks, tips: eightTips.slice(0, 4) },
  'tip-own': { ...asks, tips: eightTips, ownTipMost: '1234.50', ownTip: { tip: '66.00', total: '1300.50' } },
  'tip-own-largest': {
    ...asks,
    amount: '5000000000.00',
    tips: [],
    ownTipMost: '4999999999.99',
    ownTip: { tip: '4999999999.99', total: '9999999999.99' },
  },
  'tip-yen': { ...asks, amount: '1234', currency: 'JPY', tips: [{ tip: '123', total: '1357', percent: 10 }] },
  option: {
    transaction,
    ...price,
    kind: 'SALE',
    cancellable: true,
    scene: 'chooseOption',
    question: {
      title: { en: 'Round up for charity?', 'zh-Hant': '湊整數捐作慈善？' },
      choices: [
        {
          id: 'round',
          label: { en: 'Yes, round up', 'zh-Hant': '好，湊整數' },
          added: '5999999999.99',
          total: '9999999999.99',
        },
        { id: 'none', label: { en: 'No, thank you', 'zh-Hant': '不用，謝謝' } },
      ],
    },
  },
  'card-tip': { ...runs, scene: 'presentCard', mode: 'CARD', interfaces, tip: '123.45' },
  'choose-tip-largest': { ...runs, ...largest, scene: 'chooseMethod', interfaces: [], tip: '4999999999.99' },
  'cash-tip-largest': { ...runs, ...largest, scene: 'tenderCash', mode: 'CASH', tip: '4999999999.99' },
  'code-tip': {
    ...runs,
    scene: 'presentCode',
    mode: 'QR_PRESENT',
    wallets,
    wallet: 'ALIPAY',
    code: link,
    tip: '10.00',
  },
  choose: { ...runs, scene: 'chooseMethod', interfaces },
  'choose-largest-refund': { ...runs, ...largest, scene: 'chooseMethod', kind: 'REFUND', interfaces },
  'choose-without-card': { ...runs, scene: 'chooseMethod', modes: ['QR_SCAN', 'CASH'] },
  'choose-reader-lost': {
    ...runs,
    scene: 'chooseMethod',
    modes: ['QR_SCAN', 'QR_PRESENT', 'OCTOPUS', 'CASH'],
    interfaces: [],
    hint: 'readerLost',
  },
  'choose-all': { ...runs, scene: 'chooseMethod', interfaces: [] },
  card: { ...runs, scene: 'presentCard', mode: 'CARD', interfaces },
  'card-contactless': { ...runs, scene: 'presentCard', mode: 'CARD', interfaces: ['contactless'], modes: ['CARD'] },
  'card-largest-auth': { ...runs, ...largest, scene: 'presentCard', mode: 'CARD', interfaces, kind: 'AUTH' },
  'card-cloud': { ...runs, scene: 'presentCard', mode: 'CARD', interfaces, asker: { posId: 'CLOUD-1' } },
  'card-cloud-longest': { ...runs, ...largest, scene: 'presentCard', mode: 'CARD', kind: 'AUTH', asker },
  'card-merchant': { ...runs, scene: 'presentCard', mode: 'CARD', interfaces, merchant: 'Harbour Tea House' },
  'card-merchant-longest': { ...runs, ...largest, scene: 'presentCard', mode: 'CARD', kind: 'AUTH', asker, merchant },
  'card-bare': { ...price, scene: 'presentCard' },
  'card-insert': { ...runs, scene: 'presentCard', mode: 'CARD', interfaces: ['chip'], hint: 'insertCard' },
  'card-swipe': { ...runs, scene: 'presentCard', mode: 'CARD', interfaces: ['magstripe'], hint: 'swipeCard' },
  'card-hold': { ...runs, scene: 'presentCard', mode: 'CARD', interfaces, hint: 'holdCard' },
  account: { ...runs, scene: 'chooseAccount', mode: 'EPS', accounts: ['SAVINGS', 'CURRENT'], cashback: '200.00' },
  pin: { ...runs, scene: 'enterPin', mode: 'EPS', cashback: '200.00' },
  'pin-wrong': { ...runs, scene: 'enterPin', mode: 'CARD', hint: 'wrongPin' },
  scan: { ...runs, scene: 'scanCode', mode: 'QR_SCAN' },
  'scan-wrong': { ...runs, scene: 'scanCode', mode: 'QR_SCAN', hint: 'notAWalletCode' },
  code: { ...runs, scene: 'presentCode', mode: 'QR_PRESENT', wallets, wallet: 'ALIPAY', code: link },
  'code-longest': {
    ...runs,
    ...largest,
    scene: 'presentCode',
    mode: 'QR_PRESENT',
    wallets,
    wallet: 'UPI_QR',
    code: longestCode,
  },
  'code-eight-wallets': {
    ...runs,
    ...largest,
    scene: 'presentCode',
    mode: 'QR_PRESENT',
    wallets: [...wallets, 'PAYME', 'ALIPAY_CN', 'BOC_PAY', 'LONGEST'],
    wallet: 'ALIPAY_CN',
    code: longestCode,
    labels: {
      PAYME: { en: 'PayMe', 'zh-Hant': 'PayMe' },
      ALIPAY_CN: { en: 'Alipay (mainland China)', 'zh-Hant': '支付寶（內地）' },
      BOC_PAY: { en: 'BoC Pay', 'zh-Hant': 'BoC Pay' },
      LONGEST: { en: 'ABCDEFGHIJKLMNOPQRSTUVWX', 'zh-Hant': '二十四個字的支付錢包名稱是設定中最長的一個名稱呢' },
    },
  },
  'code-coming': { ...runs, scene: 'presentCode', mode: 'QR_PRESENT', wallets, wallet: 'WECHAT', hint: 'codeComing' },
  'code-one-wallet': { ...runs, scene: 'presentCode', mode: 'QR_PRESENT', wallets: ['FPS'], wallet: 'FPS', code: link },
  octopus: { ...runs, scene: 'tapOctopus', mode: 'OCTOPUS' },
  'octopus-same': { transaction, ...price, scene: 'tapOctopus', mode: 'OCTOPUS', hint: 'sameOctopusCard' },
  'octopus-same-cancellable': { ...runs, scene: 'tapOctopus', mode: 'OCTOPUS', hint: 'sameOctopusCard' },
  cash: { ...runs, scene: 'tenderCash', mode: 'CASH' },
  'cash-largest': { ...runs, ...largest, scene: 'tenderCash', mode: 'CASH' },
  'cash-yen': { ...runs, amount: '12340', currency: 'JPY', scene: 'tenderCash', mode: 'CASH' },
  'cash-dinar': { ...runs, amount: '12.345', currency: 'KWD', scene: 'tenderCash', mode: 'CASH' },
  processing: { transaction, ...price, scene: 'processing' },
  'processing-phone': { transaction, ...price, scene: 'processing', hint: 'confirmOnPhone', cancellable: true },
  'processing-card-in': { transaction, ...price, scene: 'processing', hint: 'leaveCardIn' },
  'processing-reversing': { transaction, ...price, scene: 'processing', hint: 'reversing' },
  approved: { ...price, scene: 'approved', reported: paid },
  sign: { transaction, ...price, scene: 'sign', kind: 'SALE' },
  'sign-largest': { transaction, ...largest, scene: 'sign', kind: 'REFUND', hint: 'removeCard', tip: '123.45' },
  'sign-check': { transaction, ...price, scene: 'checkSignature', kind: 'SALE', signature: drawnSignature },
  'sign-check-largest': {
    transaction,
    ...largest,
    scene: 'checkSignature',
    kind: 'AUTH',
    hint: 'removeCard',
    signature: drawnSignature,
  },
  'approved-sign': { ...price, scene: 'approved', reported: { ...paid, next: 'sign' } },
  'approved-chip-sign': { ...price, scene: 'approved', reported: { ...paid, next: 'sign' }, hint: 'removeCard' },
  'approved-hold': { ...price, scene: 'approved', kind: 'AUTH', reported: { money: 'hold-DONE', next: 'thanks' } },
  'approved-largest-void': {
    ...largest,
    scene: 'approved',
    kind: 'VOID_AUTH_COMP',
    hint: 'removeCard',
    reported: { money: 'void-DONE', next: 'thanks' },
  },
  'approved-cash': { ...price, scene: 'approved', tendered: '2000.00', change: '765.50', reported: paid },
  'approved-cash-largest': {
    ...largest,
    scene: 'approved',
    tendered: '9999999999.99',
    change: '9999999999.98',
    reported: paid,
  },
  'approved-octopus': { ...price, scene: 'approved', balance: '-12.30', reported: paid },
  'approved-cashback': { ...price, scene: 'approved', cashback: '200.00', hint: 'takeCash', reported: paid },
  'approved-wallet': { ...price, scene: 'approved', wallet: 'UPI_QR', reported: paid },
  'approved-tip': { ...price, scene: 'approved', tip: '123.45', wallet: 'UPI_QR', reported: paid },
  declined: { ...price, scene: 'declined', reported: notPaid('declinedByBank') },
  'declined-octopus': { ...price, scene: 'declined', balance: '8.10', reported: notPaid('noValue') },
  'declined-card-inside': { ...price, scene: 'declined', cardInside: true, reported: notPaid('noFunds') },
  'declined-card-last': {
    ...price,
    scene: 'declined',
    cardInside: true,
    reported: { happened: 'refusedByCard', money: 'charge-REVERSAL_PENDING', next: 'payOtherWay' },
  },
  error: {
    ...price,
    scene: 'error',
    reported: { happened: 'noAnswer', money: 'charge-REVERSAL_PENDING', next: 'tryAgain' },
  },
  'error-card-inside': {
    ...largest,
    scene: 'error',
    cardInside: true,
    reported: { happened: 'noAnswer', money: 'charge-REVERSAL_PENDING', next: 'tryLater' },
  },
  'error-cards-blocked': {
    ...price,
    scene: 'error',
    ways: ['QR_SCAN', 'QR_PRESENT', 'OCTOPUS', 'CASH'],
    reported: notPaid('cardsBankFirst', 'waysThatWork'),
  },
  'error-unknown': {
    ...largest,
    scene: 'error',
    reported: { happened: 'octopusLeft', money: 'charge-UNKNOWN', next: 'askBeforePaying' },
  },
  'error-refund': {
    ...largest,
    scene: 'error',
    kind: 'REFUND',
    reported: { happened: 'unknown', money: 'refund-REVERSAL_PENDING', next: 'repeat' },
  },
  cancelled: { ...price, scene: 'cancelled', reported: notPaid('cancelledHere', 'startAgain') },
  'cancelled-code': {
    ...largest,
    scene: 'cancelled',
    reported: { happened: 'outOfTime', money: 'charge-IF_PAID_ASK', next: 'startAgain' },
  },
};
