/** What this host's merchant is set up for (QFPay, "Supported Currencies"). FPS clears Hong Kong dollars and renminbi. */
export const hostCurrencies = ['HKD', 'CNY'] as const;
export type Currency = (typeof hostCurrencies)[number];

/** The two calls that may end an unpaid order. */
export const endingCalls = ['reversal', 'close'] as const;
export type EndingCall = (typeof endingCalls)[number];

/** presented: the terminal shows the code (MPM). scanned: the phone does (CPM). */
export type Flow = 'presented' | 'scanned';

/** How the codes of a wallet's phones begin, and how many digits they have. */
export interface PhoneCodes {
  readonly prefixes: readonly string[];
  readonly digits: readonly [fewest: number, most: number];
  /** How many digits its own phones show; the most if absent. */
  readonly shownDigits?: number;
}

/** A wallet that this host's merchant is set up for. */
export interface Wallet {
  /** Its name in the books. */
  readonly code: string;
  /** Its name on the simulator's page. */
  readonly name: string;
  readonly presented?: {
    readonly payType: string;
    /** `pay_tag`, where several wallets have one pay type. */
    readonly payTag?: string;
    /** The code is an EMVCo payload, otherwise an address. */
    readonly emvco?: boolean;
    /** QFPay, MPM: `expired_time` is for WeChat and Alipay only. */
    readonly expires?: boolean;
    readonly endedBy: readonly EndingCall[];
  };
  readonly scanned?: {
    readonly payType: string;
    readonly codes: PhoneCodes;
    readonly endedBy: readonly EndingCall[];
  };
  /** What it pays with a shown code; with a scanned one, HKD alone. */
  readonly currencies: readonly Currency[];
  readonly refunds: boolean;
}

/**
 * The wallets that every merchant here has. Pay types of Hong Kong: QFPay, payment types. Codes of phones:
 * fixtures/qr/codes.json. FPS has merchant-presented codes only, and no refunds; of the others nothing more is
 * published. Which call ends an unpaid order: QFPay, reversal guide: reversal for Alipay and for WeChat's presented
 * codes, close for WeChat, and for Alipay too. FPS and UnionPay by reversal: assumed (fixtures/README.md).
 */
export const usualWallets: readonly Wallet[] = [
  {
    code: 'ALIPAY',
    name: 'Alipay',
    presented: { payType: '801501', expires: true, endedBy: endingCalls },
    scanned: {
      payType: '800108',
      codes: { prefixes: ['25', '26', '27', '28', '29', '30'], digits: [16, 24], shownDigits: 18 },
      endedBy: endingCalls,
    },
    currencies: ['HKD'],
    refunds: true,
  },
  {
    code: 'WECHAT',
    name: 'WeChat Pay',
    presented: { payType: '800201', expires: true, endedBy: endingCalls },
    scanned: {
      payType: '800208',
      codes: { prefixes: ['10', '11', '12', '13', '14', '15'], digits: [18, 18] },
      endedBy: ['close'],
    },
    currencies: ['HKD'],
    refunds: true,
  },
  {
    code: 'UPI_QR',
    name: 'UnionPay QR',
    presented: { payType: '800701', emvco: true, endedBy: ['reversal'] },
    scanned: { payType: '800708', codes: { prefixes: ['62'], digits: [19, 19] }, endedBy: ['reversal'] },
    currencies: ['HKD'],
    refunds: true,
  },
  {
    code: 'FPS',
    name: 'FPS',
    presented: { payType: '802001', emvco: true, endedBy: ['reversal'] },
    currencies: hostCurrencies,
    refunds: false,
  },
];

/** QFPay, payment types: the code itself tells which wallet it is. */
export const payTypeOfAll = '800008';

/**
 * In-store payment types that exist, but not at this merchant unless it has a wallet of that type: PayMe, Octopus,
 * overseas Alipay, direct WeChat Pay HK.
 */
export const otherPayTypes: ReadonlySet<string> = new Set(['800101', '801008', '803701', '805801', '805808']);
