/** What a card's host decides on while everybody waits. */
export type OnlineOperation = 'sale' | 'auth' | 'refund' | 'void' | 'voidRefund';

/** What was decided here, and the host hears of afterwards. */
export type AdviceOperation = 'offlineSale' | 'completion' | 'tipAdjust';
