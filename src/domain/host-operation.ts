/** Operations that a card host decides online. */
export type OnlineOperation = 'sale' | 'auth' | 'refund' | 'void' | 'voidRefund';

/** Operations that are decided offline and reported to the host afterwards. */
export type AdviceOperation = 'offlineSale' | 'completion' | 'tipAdjust';
