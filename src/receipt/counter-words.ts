import type { ReceiptLanguage } from '../base/domain/receipt-language.ts';

/** Words of other paper than receipts: the prints of tills, and reports. */
export interface CounterWords {
  readonly till: Readonly<Record<'from' | 'noSlip', string>>;
  readonly report: Readonly<
    Record<
      | 'X'
      | 'Z'
      | 'open'
      | 'closed'
      | 'methods'
      | 'brands'
      | 'merchants'
      | 'tills'
      | 'onlyTill'
      | 'cashiers'
      | 'noCashier'
      | 'sales'
      | 'refunds'
      | 'tips'
      | 'voids'
      | 'cashback'
      | 'drawer'
      | 'openedBySales'
      | 'opened'
      | 'unreadable'
      | 'page',
      string
    >
  > & {
    /** Kinds of means, by the names that intents carry. */
    readonly means: Readonly<Record<'card' | 'eps' | 'wallet' | 'octopus' | 'cash', string>>;
  };
}

const words: Readonly<Record<ReceiptLanguage, CounterWords>> = {
  en: {
    till: { from: 'FROM THE TILL', noSlip: 'NOT A PAYMENT SLIP' },
    report: {
      X: 'X REPORT',
      Z: 'Z REPORT',
      open: 'OPEN',
      closed: 'CLOSED',
      methods: 'BY METHOD',
      brands: 'BY BRAND',
      merchants: 'BY MERCHANT',
      tills: 'BY TILL',
      onlyTill: 'ONLY OF TILL',
      cashiers: 'BY CASHIER',
      noCashier: 'NO CASHIER',
      sales: 'SALES',
      refunds: 'REFUNDS',
      tips: 'TIPS IN SALES',
      voids: 'VOIDED',
      cashback: 'CASH BACK',
      drawer: 'CASH IN DRAWER',
      openedBySales: 'DRAWER OPENED BY CASH SALES',
      opened: 'DRAWER OPENED WITHOUT A SALE',
      unreadable: 'NOT READABLE, IN NO SUM',
      page: 'PAGE',
      means: { card: 'CARDS', eps: 'EPS', wallet: 'QR WALLETS', octopus: 'OCTOPUS', cash: 'CASH' },
    },
  },
  'zh-Hant': {
    till: { from: '收銀機列印', noSlip: '並非付款單據' },
    report: {
      X: 'X 報表',
      Z: 'Z 報表',
      open: '未結算',
      closed: '已結算',
      methods: '按付款方式',
      brands: '按品牌',
      merchants: '按商戶',
      tills: '按收銀機',
      onlyTill: '只限收銀機',
      cashiers: '按收銀員',
      noCashier: '沒有收銀員',
      sales: '銷售',
      refunds: '退款',
      tips: '銷售內小費',
      voids: '已撤銷',
      cashback: '提取現金',
      drawer: '錢箱現金',
      openedBySales: '現金銷售開啟錢箱',
      opened: '非銷售開啟錢箱',
      unreadable: '無法讀取，未計算在內',
      page: '頁',
      means: { card: '銀行卡', eps: '易辦事 EPS', wallet: '電子錢包', octopus: '八達通', cash: '現金' },
    },
  },
};

export function counterWordsOf(language: ReceiptLanguage): CounterWords {
  return words[language];
}
