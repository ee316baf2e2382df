/** Result codes of the interface. Fail-safe: SUCCESS only if the customer has paid. */
const codes = {
  SUCCESS: 0,
  DECLINED: 1,
  ERROR: 2,
  NOT_FOUND: 3,
  INVALID_PARAMETER: 4,
  TIMEOUT: 5,
  DATABASE_ERROR: 6,
  UNKNOWN: 7,
  PROCESSING: 11,
  INVALID_TRANSACTION_STATUS: 104,
  INVALID_CURRENCY: 105,
  ALREADY_EXISTS: 106,
  TRANSACTION_ALREADY_CANCEL: 107,
} as const;

export type ResponseResult = keyof typeof codes;

export function responseCode(result: ResponseResult): number {
  return codes[result];
}

/** The code of a host's decline: 1000 + ISO 8583 field 39. A code with letters becomes plain DECLINED. */
export function declineCode(field39: string): number {
  return /^\d\d$/.test(field39) ? 1000 + Number(field39) : codes.DECLINED;
}

/** The customer's financial position if the answer is not SUCCESS. */
export type FinancialImpact = 'NONE' | 'REVERSED' | 'REVERSAL_PENDING' | 'UNKNOWN';

/**
 * The next step of the POS. SAME_REQUEST: send the same request again, nothing was started. NEW_PAYMENT: this one is
 * over; a new one has a messageId of its own. ENQUIRE: ask for the outcome, and do not charge meanwhile. CALL_OPERATOR:
 * no request of the POS helps. CORRECT_REQUEST: the request itself is not possible as it is.
 */
export const retries = ['SAME_REQUEST', 'NEW_PAYMENT', 'ENQUIRE', 'CALL_OPERATOR', 'CORRECT_REQUEST'] as const;
export type Retry = (typeof retries)[number];

/** The meaning of a reason for the reader of the answer. */
export interface ReasonFacts {
  readonly retryable: Retry;
  /** One or two sentences for the cashier. */
  readonly text: { readonly en: string; readonly 'zh-Hant': string };
}

/**
 * Why an answer is not SUCCESS: the closed set that a POS may branch on. Each name is one cause; a version may add
 * names, and never gives a name another meaning. docs/pos.md lists them.
 */
export const reasons = {
  // The issuer or the wallet declined.
  referToIssuer: because(
    'NEW_PAYMENT',
    'The bank wants to speak with the cardholder. Ask for another way to pay.',
    '銀行要求持卡人聯絡銀行。請改用其他付款方式。',
  ),
  doNotHonour: because(
    'NEW_PAYMENT',
    'The bank declined the card. Ask for another way to pay.',
    '銀行拒絕此卡。請改用其他付款方式。',
  ),
  invalidTransaction: because(
    'NEW_PAYMENT',
    'The bank does not allow this with this card. Ask for another way to pay.',
    '銀行不接受此卡作此交易。請改用其他付款方式。',
  ),
  invalidAmount: because(
    'NEW_PAYMENT',
    'The bank does not accept this amount. Ask for another way to pay.',
    '銀行不接受此金額。請改用其他付款方式。',
  ),
  invalidCardNumber: because(
    'NEW_PAYMENT',
    'The bank does not know this card. Ask for another way to pay.',
    '銀行沒有此卡的紀錄。請改用其他付款方式。',
  ),
  lostCard: because(
    'NEW_PAYMENT',
    'The card is reported lost. Ask for another way to pay.',
    '此卡已報失。請改用其他付款方式。',
  ),
  stolenCard: because(
    'NEW_PAYMENT',
    'The card is reported stolen. Ask for another way to pay.',
    '此卡已報稱失竊。請改用其他付款方式。',
  ),
  expiredCard: because(
    'NEW_PAYMENT',
    'The card has expired. Ask for another way to pay.',
    '此卡已過期。請改用其他付款方式。',
  ),
  insufficientFunds: because(
    'NEW_PAYMENT',
    'There is not enough money on the account. Ask for another way to pay.',
    '帳戶餘額不足。請改用其他付款方式。',
  ),
  insufficientBalance: because(
    'NEW_PAYMENT',
    'There is not enough money in the wallet. Ask for another way to pay.',
    '錢包餘額不足。請改用其他付款方式。',
  ),
  insufficientValue: because(
    'NEW_PAYMENT',
    'There is not enough value on the Octopus card. Ask for another way to pay.',
    '八達通餘額不足。請改用其他付款方式。',
  ),
  wrongPin: because(
    'NEW_PAYMENT',
    'The PIN was wrong. Take the payment again, or ask for another way to pay.',
    '密碼錯誤。請重新付款，或改用其他付款方式。',
  ),
  pinTriesExceeded: because(
    'NEW_PAYMENT',
    'The PIN was wrong too often. Ask for another way to pay.',
    '密碼錯誤次數過多。請改用其他付款方式。',
  ),
  pinRequired: because(
    'NEW_PAYMENT',
    "The card needs a PIN, which can't be entered here. Ask for another way to pay.",
    '此卡必須輸入密碼，但此終端機不能輸入。請改用其他付款方式。',
  ),
  notPermittedToCardholder: because(
    'NEW_PAYMENT',
    'The cardholder may not do this with the card. Ask for another way to pay.',
    '持卡人不可用此卡作此交易。請改用其他付款方式。',
  ),
  notPermittedToTerminal: because(
    'CALL_OPERATOR',
    'The bank does not allow this at this terminal. Call the operator.',
    '銀行不容許此終端機作此交易。請聯絡管理員。',
  ),
  terminalUnknown: because(
    'CALL_OPERATOR',
    'The bank does not know this terminal. Call the operator.',
    '銀行不認得此終端機。請聯絡管理員。',
  ),
  amountLimitExceeded: because(
    'NEW_PAYMENT',
    'The amount is over the limit of the card. Ask for another way to pay.',
    '金額超出此卡限額。請改用其他付款方式。',
  ),
  countLimitExceeded: because(
    'NEW_PAYMENT',
    'The card was used too often. Ask for another way to pay.',
    '此卡使用次數過多。請改用其他付款方式。',
  ),
  securityViolation: because(
    'NEW_PAYMENT',
    'The bank declined the card for its security. Ask for another way to pay.',
    '銀行因保安理由拒絕此卡。請改用其他付款方式。',
  ),
  cardUnusable: because(
    'NEW_PAYMENT',
    "This Octopus card can't be used. Ask for another way to pay.",
    '此八達通不能使用。請改用其他付款方式。',
  ),
  duplicate: because(
    'NEW_PAYMENT',
    'The bank took the payment for a repeated one. Take the payment again.',
    '銀行視此為重複的交易。請重新付款。',
  ),
  hostTrouble: because(
    'NEW_PAYMENT',
    'The bank could not process the payment. Try again later.',
    '銀行未能處理此交易。請稍後再試。',
  ),
  declined: because(
    'NEW_PAYMENT',
    'The payment was declined. Ask for another way to pay.',
    '付款被拒絕。請改用其他付款方式。',
  ),
  // Declined at the terminal.
  cardNotSupported: because(
    'NEW_PAYMENT',
    "This card can't be used here. Ask for another way to pay.",
    '此處不接受此卡。請改用其他付款方式。',
  ),
  cardBlocked: because(
    'NEW_PAYMENT',
    'The card is blocked. Ask for another way to pay.',
    '此卡已被鎖。請改用其他付款方式。',
  ),
  contactlessLimitExceeded: because(
    'NEW_PAYMENT',
    'The amount is too high for contactless. Insert the card.',
    '金額超出感應付款限額。請插卡。',
  ),
  declinedByCard: because(
    'NEW_PAYMENT',
    'The card refused the payment. Ask for another way to pay.',
    '此卡拒絕付款。請改用其他付款方式。',
  ),
  refusedByCardAfterApproval: because(
    'NEW_PAYMENT',
    'The card refused what the bank approved. The payment is reversed.',
    '銀行已批准但卡拒絕付款。付款會被取消。',
  ),
  notAccepted: because(
    'NEW_PAYMENT',
    'This card or wallet is not accepted for this transaction. Ask for another way to pay.',
    '此交易不接受此卡或錢包。請改用其他付款方式。',
  ),
  notCardOfOriginal: because(
    'NEW_PAYMENT',
    'This is not the card of the sale. Present that card.',
    '此卡並非原交易所用的卡。請使用原來的卡。',
  ),
  // Not paid.
  cancelledByPos: because('NEW_PAYMENT', 'The till cancelled the payment.', '收銀機已取消付款。'),
  cancelledByMerchant: because('NEW_PAYMENT', 'The payment was cancelled on the terminal.', '付款已在終端機上取消。'),
  cancelledByCustomer: because('NEW_PAYMENT', 'The customer cancelled the payment.', '顧客已取消付款。'),
  customerTimeout: because(
    'NEW_PAYMENT',
    'The customer did not pay in time. Take the payment again.',
    '顧客未能及時付款。請重新付款。',
  ),
  terminalRestarting: because(
    'NEW_PAYMENT',
    'The terminal restarts. Take the payment again in a minute.',
    '終端機正在重新啟動。請於一分鐘後重新付款。',
  ),
  cardRemovedEarly: because(
    'NEW_PAYMENT',
    'The card was taken out too early. Take the payment again.',
    '卡過早取出。請重新付款。',
  ),
  walletClosed: because(
    'NEW_PAYMENT',
    'The wallet closed the payment and nothing was charged. Take the payment again.',
    '錢包已關閉此付款，並無扣款。請重新付款。',
  ),
  codeNotPaid: because(
    'NEW_PAYMENT',
    "The code was not paid and can't be paid any more. Take the payment again.",
    '二維碼未付款並已失效。請重新付款。',
  ),
  refundNotMade: because('NEW_PAYMENT', 'Nothing was returned. Make the refund again.', '並無退款。請重新退款。'),
  withdrawn: because('NEW_PAYMENT', 'Nothing was paid. Take the payment again.', '並無付款。請重新付款。'),
  nothingDeducted: because(
    'NEW_PAYMENT',
    'Nothing was deducted from the Octopus card. Take the payment again.',
    '八達通並無扣款。請重新付款。',
  ),
  // A device failed.
  cardReaderFailed: because(
    'NEW_PAYMENT',
    'The card reader failed. Try again, or take another way to pay.',
    '讀卡器故障。請再試，或改用其他付款方式。',
  ),
  pinPadFailed: because(
    'NEW_PAYMENT',
    'The PIN pad failed. Try again, or take another way to pay.',
    '密碼鍵盤故障。請再試，或改用其他付款方式。',
  ),
  scannerFailed: because(
    'NEW_PAYMENT',
    'The scanner failed. Try again, or take another way to pay.',
    '掃描器故障。請再試，或改用其他付款方式。',
  ),
  octopusReaderFailed: because(
    'NEW_PAYMENT',
    'The Octopus reader failed. Try again, or take another way to pay.',
    '八達通讀卡器故障。請再試，或改用其他付款方式。',
  ),
  deviceFailed: because(
    'NEW_PAYMENT',
    'A device of the terminal failed. Try again, or take another way to pay.',
    '終端機裝置故障。請再試，或改用其他付款方式。',
  ),
  collectingFailed: because(
    'NEW_PAYMENT',
    'The terminal could not take the payment. Try again, or take another way to pay.',
    '終端機未能收款。請再試，或改用其他付款方式。',
  ),
  // The host did not decide.
  hostDown: because(
    'NEW_PAYMENT',
    "The bank can't be reached. Try again, or take another way to pay.",
    '未能連接銀行。請再試，或改用其他付款方式。',
  ),
  notSignedOn: because(
    'NEW_PAYMENT',
    'The bank does not accept this terminal now. Take another way to pay.',
    '銀行暫不接受此終端機。請改用其他付款方式。',
  ),
  keysUnusable: because(
    'NEW_PAYMENT',
    "The terminal's keys for the bank can't be used. Take another way to pay.",
    '終端機的銀行密鑰無法使用。請改用其他付款方式。',
  ),
  noAnswer: because('NEW_PAYMENT', 'The bank did not answer. The payment is reversed.', '銀行沒有回覆。付款會被取消。'),
  linkClosed: because(
    'NEW_PAYMENT',
    'The connection to the bank broke. The payment is reversed.',
    '與銀行的連線中斷。付款會被取消。',
  ),
  cardCoversOnly: because(
    'NEW_PAYMENT',
    'The card covers only a part of the amount. Pay another way.',
    '此卡餘額只可支付部分金額。請用其他方式付款。',
  ),
  garbledAnswer: because(
    'NEW_PAYMENT',
    "The bank's answer could not be read. The payment is reversed.",
    '銀行的回覆無法讀取。付款會被取消。',
  ),
  interrupted: because('NEW_PAYMENT', 'The payment was interrupted. It is reversed.', '交易中斷。付款會被取消。'),
  undecidedAtHost: because(
    'NEW_PAYMENT',
    'The wallet did not decide in time. The payment is reversed.',
    '錢包未能及時決定。付款會被取消。',
  ),
  codeNotClosed: because(
    'NEW_PAYMENT',
    'The code could not be closed. A payment of it is returned.',
    '二維碼未能關閉。如已付款會退回。',
  ),
  reversalsPending: because(
    'NEW_PAYMENT',
    'The bank must first answer for an earlier payment. Try again soon, or take another way to pay.',
    '銀行須先回覆之前的交易。請稍後再試，或改用其他付款方式。',
  ),
  advicesPending: because(
    'NEW_PAYMENT',
    'The bank must first take note of an earlier payment. Try again soon, or take another way to pay.',
    '銀行須先記錄之前的交易。請稍後再試，或改用其他付款方式。',
  ),
  unsendable: because(
    'CALL_OPERATOR',
    "The terminal can't send this payment to the bank. Call the operator.",
    '終端機未能將此交易送往銀行。請聯絡管理員。',
  ),
  numberTaken: because(
    'CALL_OPERATOR',
    'The bank has another transaction of this number. Call the operator before charging again.',
    '銀行已有此編號的交易。重新收款前請聯絡管理員。',
  ),
  walletUnknown: because(
    'ENQUIRE',
    'It is not known yet whether the customer has paid. Do not charge again yet.',
    '尚未知道顧客是否已付款。請勿立即重新收款。',
  ),
  refundUnknown: because(
    'ENQUIRE',
    'It is not known yet whether the money was returned. Ask again in a minute.',
    '尚未知道是否已退款。請於一分鐘後再查詢。',
  ),
  refundVoidUnknown: because(
    'ENQUIRE',
    'It is not known yet whether the refund was voided. Ask again in a minute.',
    '尚未知道退款是否已撤銷。請於一分鐘後再查詢。',
  ),
  octopusUnknown: because(
    'ENQUIRE',
    'It is not known yet whether the Octopus card was charged. Do not charge again yet.',
    '尚未知道八達通是否已扣款。請勿立即重新收款。',
  ),
  // The terminal restarted, or could not write.
  restartedBeforeSending: because(
    'NEW_PAYMENT',
    'The terminal restarted, and nothing was charged. Take the payment again.',
    '終端機曾重新啟動，並無扣款。請重新付款。',
  ),
  restartedDuringPayment: because(
    'NEW_PAYMENT',
    'The terminal restarted during the payment, and it is reversed. Take the payment again.',
    '終端機在付款期間重新啟動，付款會被取消。請重新付款。',
  ),
  restartedOutcomeUnknown: because(
    'ENQUIRE',
    'The terminal restarted during the payment. Do not charge again yet.',
    '終端機在付款期間重新啟動。請勿立即重新收款。',
  ),
  paymentNotWritten: because(
    'CALL_OPERATOR',
    "The terminal can't write to its disk, and nothing was sent. Call the operator.",
    '終端機未能寫入磁碟，交易並未送出。請聯絡管理員。',
  ),
  answerNotWritten: because(
    'CALL_OPERATOR',
    "The terminal can't write to its disk. The payment is reversed. Call the operator.",
    '終端機未能寫入磁碟。付款會被取消。請聯絡管理員。',
  ),
  outcomeUnknown: because(
    'ENQUIRE',
    'The outcome is not known yet. Do not charge again yet.',
    '尚未知道結果。請勿立即重新收款。',
  ),
  journalUnavailable: because(
    'SAME_REQUEST',
    "The terminal can't write to its disk, and nothing was started. Call the operator.",
    '終端機未能寫入磁碟，交易並未開始。請聯絡管理員。',
  ),
  recordUnreadable: because(
    'CALL_OPERATOR',
    "The terminal can't read the record of this transaction. Call the operator.",
    '終端機未能讀取此交易的紀錄。請聯絡管理員。',
  ),
  internalError: because(
    'ENQUIRE',
    'The terminal failed. Ask for the outcome before charging again.',
    '終端機出現錯誤。重新收款前請先查詢結果。',
  ),
  // Reported later.
  rejectedByHost: because(
    'CALL_OPERATOR',
    'The bank rejected it later. Call the operator.',
    '銀行其後拒絕此交易。請聯絡管理員。',
  ),
  doubtfulAtHost: because(
    'CALL_OPERATOR',
    'Only the bank knows whether it is charged. Call the operator.',
    '只有銀行知道是否已扣款。請聯絡管理員。',
  ),
  acceptedAfterSettlement: because(
    'CALL_OPERATOR',
    'The tip was accepted after the settlement. Call the operator.',
    '小費在結算後才獲接受。請聯絡管理員。',
  ),
  paidLate: because(
    'CALL_OPERATOR',
    'The customer paid by the code after the payment had ended. Give the amount back, or call the operator.',
    '交易結束後，顧客的二維碼付款才到帳。請退回款項，或聯絡管理員。',
  ),
  refundedAndReversed: because(
    'CALL_OPERATOR',
    'The bank has taken the payment back, and it was refunded as well. Call the operator.',
    '銀行已撤回付款，而該付款亦已退款。請聯絡管理員。',
  ),
  reversedLate: because(
    'CALL_OPERATOR',
    'The bank has taken it back after it had confirmed it. Call the operator.',
    '銀行確認後又撤回此交易。請聯絡管理員。',
  ),
  reversedAfterSettlement: because(
    'CALL_OPERATOR',
    'The bank has taken it back after the settlement had counted it. Call the operator.',
    '此交易結算後被銀行撤回。請聯絡管理員。',
  ),
  confirmedPosted: because(
    'CALL_OPERATOR',
    'The bank has confirmed the charge. Do not charge again.',
    '銀行已確認扣款。請勿重新收款。',
  ),
  confirmedNotPosted: because(
    'NEW_PAYMENT',
    'The bank has confirmed that nothing was charged. Take the payment again.',
    '銀行已確認並無扣款。請重新付款。',
  ),
  confirmedReturned: because(
    'NEW_PAYMENT',
    'The bank confirmed the charge. It has been given back since.',
    '銀行已確認扣款，款項其後已退還。',
  ),
  // The request names an earlier transaction.
  originalUnknown: because(
    'CORRECT_REQUEST',
    'This terminal does not know the earlier transaction.',
    '此終端機沒有原交易的紀錄。',
  ),
  originalNotApproved: because('CORRECT_REQUEST', 'The earlier transaction was not approved.', '原交易並未獲批准。'),
  originalRejected: because('CORRECT_REQUEST', 'The bank rejected the earlier transaction.', '銀行已拒絕原交易。'),
  originalOfOtherKind: because(
    'CORRECT_REQUEST',
    "This can't be done with the earlier transaction.",
    '原交易不可作此處理。',
  ),
  originalVoided: because('CORRECT_REQUEST', 'The earlier transaction was voided already.', '原交易已被撤銷。'),
  originalSettled: because(
    'CORRECT_REQUEST',
    'The batch of the earlier transaction is closed. This is not possible any more.',
    '原交易的批次已關閉，不能再作此更改。',
  ),
  originalTooOld: because(
    'CORRECT_REQUEST',
    'The authorization is so old that its card number is not kept any more.',
    '預先授權已久，卡號已不再保留。',
  ),
  originalWithoutNumber: because(
    'CORRECT_REQUEST',
    'Only the bank has confirmed the earlier transaction. Void it, and take the payment again.',
    '原交易只由銀行確認。請撤銷原交易，再重新收款。',
  ),
  originalReleased: because('CORRECT_REQUEST', 'The authorization was released already.', '預先授權已經撤銷。'),
  originalCompleted: because('CORRECT_REQUEST', 'The authorization was completed already.', '預先授權已經完成。'),
  originalRefunded: because('CORRECT_REQUEST', 'The earlier transaction was refunded already.', '原交易已退款。'),
  originalAdjusted: because('CORRECT_REQUEST', 'The tip was adjusted already.', '小費已調整過。'),
  originalNotSigned: because(
    'CORRECT_REQUEST',
    "The customer did not sign for the sale, so its tip can't be adjusted.",
    '顧客沒有簽署原交易，不可調整小費。',
  ),
  originalNotRefundable: because(
    'CORRECT_REQUEST',
    "This payment can't be given back by its method.",
    '此付款方式不設退款。',
  ),
  walletGivesNothingBack: because(
    'CORRECT_REQUEST',
    'This wallet gives nothing back. Pay the customer back by a bank transfer or in cash, and note it.',
    '此錢包不設撤銷或退款。請以銀行轉帳或現金退回顧客，並作紀錄。',
  ),
  currencyOfOriginal: because(
    'CORRECT_REQUEST',
    'The currency must be that of the earlier transaction.',
    '貨幣必須與原交易相同。',
  ),
  notWholeAmount: because('CORRECT_REQUEST', 'A void is for the whole amount.', '撤銷交易必須為全數金額。'),
  aboveCompletion: because(
    'CORRECT_REQUEST',
    'The amount is too high for the authorization.',
    '金額超出預先授權上限。',
  ),
  aboveOriginal: because(
    'CORRECT_REQUEST',
    'The amount is more than what is left of the earlier transaction.',
    '金額超出原交易餘額。',
  ),
  tipNotAbove: because(
    'CORRECT_REQUEST',
    'The new total must be more than the sale without tip.',
    '新總額必須多於未計小費的金額。',
  ),
  tipNotTheDifference: because(
    'CORRECT_REQUEST',
    'The new total must be the sale without tip, plus the tip.',
    '新總額必須等於未計小費的金額加小費。',
  ),
  tipTooHigh: because('CORRECT_REQUEST', 'The tip is too high.', '小費過高。'),
  originalAwaitsHost: because(
    'CALL_OPERATOR',
    'The bank does not have the earlier transaction yet. Call the operator.',
    '銀行尚未收到原交易。請聯絡管理員。',
  ),
  acquirerGone: because(
    'CALL_OPERATOR',
    'The bank of the earlier transaction is not set up any more. Call the operator.',
    '原交易的銀行設定已不存在。請聯絡管理員。',
  ),
  // The terminal can't do it.
  batchUnknown: because('CORRECT_REQUEST', 'Nothing is in a batch of this number.', '此批次編號並無交易。'),
  merchantUnknown: because('CORRECT_REQUEST', 'This terminal does not have that merchant.', '此終端機沒有該商戶。'),
  acquirerUnknown: because('CORRECT_REQUEST', 'This terminal does not have that bank.', '此終端機沒有該銀行。'),
  instrumentNotTaken: because(
    'CORRECT_REQUEST',
    'This terminal does not take that way to pay.',
    '此終端機不接受該付款方式。',
  ),
  kindNotPossible: because('CORRECT_REQUEST', 'This transaction is not possible here.', '此處不可作此交易。'),
  decidedByOriginal: because(
    'CORRECT_REQUEST',
    'The earlier transaction decides how this is done.',
    '處理方式由原交易決定。',
  ),
  originalRequired: because('CORRECT_REQUEST', 'The earlier transaction must be named.', '必須指明原交易。'),
  currencyNotTaken: because('CORRECT_REQUEST', 'This currency is not taken for this payment.', '此付款不接受該貨幣。'),
  amountNotPossible: because(
    'CORRECT_REQUEST',
    'This amount is not possible for this payment.',
    '此付款不接受該金額。',
  ),
  tipQuestionNotSetUp: because(
    'CORRECT_REQUEST',
    'This terminal does not ask for tips in this currency.',
    '此終端機未設定以該貨幣詢問小費。',
  ),
  tipNotTaken: because('CORRECT_REQUEST', 'No tip can be added to this payment.', '此付款不可加小費。'),
  collectTimeNotPossible: because(
    'CORRECT_REQUEST',
    'The terminal does not wait for that long.',
    '終端機不可等候該時間。',
  ),
  cashbackNotPossible: because('CORRECT_REQUEST', 'No cash can be given for this payment.', '此付款不可提取現金。'),
  instrumentNotPossible: because(
    'CORRECT_REQUEST',
    'That way to pay is not possible for this payment.',
    '此付款不可使用該付款方式。',
  ),
  entryModeNotPossible: because(
    'CORRECT_REQUEST',
    'That way to present is not possible for this payment.',
    '此付款不可使用該輸入方式。',
  ),
  batchFull: because('CALL_OPERATOR', 'The batch is full. Settle first.', '批次已滿。請先結算。'),
  offlineLimitExceeded: because(
    'CALL_OPERATOR',
    'The limit of offline sales is reached. Call the operator.',
    '離線交易已達上限。請聯絡管理員。',
  ),
  // Not now.
  busy: because('SAME_REQUEST', 'The terminal is busy with another transaction.', '終端機正在處理其他交易。'),
  transactionRunning: because('ENQUIRE', 'The transaction is under way.', '交易正在進行。'),
  settlementRunning: because('ENQUIRE', 'The settlement is under way.', '結算正在進行。'),
  messageIdReused: because(
    'CORRECT_REQUEST',
    'The till used the same number for another request.',
    '收銀機重複使用同一編號。',
  ),
  terminalStopping: because(
    'SAME_REQUEST',
    'The terminal stops. Try again in a minute.',
    '終端機正在停止。請於一分鐘後再試。',
  ),
  clockNotSynchronised: because(
    'SAME_REQUEST',
    'The clock of the terminal is not set yet. Try again, or call the operator.',
    '終端機時鐘尚未校正。請再試或聯絡管理員。',
  ),
  clockWrong: because(
    'CALL_OPERATOR',
    'The clock of the terminal is wrong. Call the operator.',
    '終端機時鐘錯誤。請聯絡管理員。',
  ),
  acquirerHeld: because(
    'CALL_OPERATOR',
    'The settings of the bank were changed, and its earlier payments are not settled. Settle, or take another way to pay.',
    '銀行設定已更改，而較早的付款尚未結算。請先結算，或改用其他付款方式。',
  ),
  requestExpired: because(
    'SAME_REQUEST',
    "The till's request came too late, and nothing was started. Try again.",
    '收銀機的請求太遲送達，並無開始交易。請再試。',
  ),
  cardReaderAbsent: because(
    'SAME_REQUEST',
    'The card reader is not connected. Take another way to pay.',
    '讀卡器未連接。請改用其他付款方式。',
  ),
  scannerAbsent: because(
    'SAME_REQUEST',
    'The scanner is not connected. Take another way to pay.',
    '掃描器未連接。請改用其他付款方式。',
  ),
  octopusReaderAbsent: because(
    'SAME_REQUEST',
    'The Octopus reader is not connected. Take another way to pay.',
    '八達通讀卡器未連接。請改用其他付款方式。',
  ),
  deviceAbsent: because(
    'SAME_REQUEST',
    'A device is not connected. Take another way to pay.',
    '裝置未連接。請改用其他付款方式。',
  ),
  settlementNotCancellable: because(
    'ENQUIRE',
    "A settlement can't be cancelled. Send an enquiry.",
    '結算不可取消。請查詢其狀態。',
  ),
  endedBeforeCancel: because('ENQUIRE', 'It is too late: the transaction has ended.', '已太遲：交易已完成。'),
  hostAsked: because('ENQUIRE', 'It is too late: the bank has been asked.', '已太遲：已向銀行查詢。'),
  // The POST of that transaction may still arrive. A request with another messageId would carry it out twice.
  transactionUnknown: because('SAME_REQUEST', 'This terminal has no such transaction.', '此終端機沒有此交易。'),
  beforeJournal: because(
    'CALL_OPERATOR',
    'This terminal does not know earlier payments. Call the operator.',
    '此終端機沒有更早的付款紀錄。請聯絡管理員。',
  ),
  receiptUnknown: because(
    'CORRECT_REQUEST',
    'This terminal has no receipt of such a transaction.',
    '此終端機沒有該交易的收據。',
  ),
  receiptOfSettlement: because(
    'CORRECT_REQUEST',
    'A settlement has no receipt. Print its report.',
    '結算沒有收據。請列印其報表。',
  ),
  noReceipt: because('CORRECT_REQUEST', 'This transaction has no receipt.', '此交易沒有收據。'),
  receiptNotPrinted: because(
    'SAME_REQUEST',
    'The receipt was not printed. Look at the printer.',
    '收據未能列印。請檢查打印機。',
  ),
  printerPaperOut: because('SAME_REQUEST', 'The printer has no paper. Put paper in.', '打印機沒有紙。請放入紙卷。'),
  printerCoverOpen: because('SAME_REQUEST', 'The printer is open. Close it.', '打印機已打開。請關上。'),
  printerAbsent: because(
    'SAME_REQUEST',
    'The printer is not connected. Look at its cable and power.',
    '打印機未連接。請檢查連接線及電源。',
  ),
  printerError: because(
    'SAME_REQUEST',
    'The printer has a fault. Look at the printer.',
    '打印機發生故障。請檢查打印機。',
  ),
  printerBusy: because(
    'SAME_REQUEST',
    'The printer is at work. Ask again in a moment.',
    '打印機正在列印。請稍後再查詢。',
  ),
  printerNotConfigured: because('CALL_OPERATOR', 'This terminal has no printer.', '此終端機沒有打印機。'),
  printQueueFull: because(
    'SAME_REQUEST',
    'Too much waits for the printer. Look at the printer, then try again.',
    '等候列印的工作過多。請檢查打印機後再試。',
  ),
  printNotAllowed: because(
    'CALL_OPERATOR',
    'Tills may not print on this terminal. Call the operator.',
    '收銀機不可在此終端機列印。請聯絡管理員。',
  ),
  drawerNotAllowed: because(
    'CALL_OPERATOR',
    'Tills may not open the drawer of this terminal. Call the operator.',
    '收銀機不可開啟此終端機的錢箱。請聯絡管理員。',
  ),
  displayNotAllowed: because(
    'CALL_OPERATOR',
    'Tills may not use the screen of this terminal. Call the operator.',
    '收銀機不可使用此終端機的屏幕。請聯絡管理員。',
  ),
  printTooLong: because('CORRECT_REQUEST', 'What is to be printed is too long.', '列印內容過長。'),
  pictureNotPossible: because('CORRECT_REQUEST', "The picture can't be printed.", '圖片無法列印。'),
  cardNumberNotAllowed: because(
    'CORRECT_REQUEST',
    'The till sent what looks like a card number.',
    '收銀機送出疑似卡號的內容。',
  ),
  settlementIncomplete: because(
    'CALL_OPERATOR',
    'A batch could not be settled. Look at the report.',
    '有批次未能結算。請查看報告。',
  ),
  // The call is not acceptable.
  fieldMissing: because('CORRECT_REQUEST', 'The till sent an incomplete request.', '收銀機的請求不完整。'),
  fieldInvalid: because('CORRECT_REQUEST', 'The till sent a request with an error.', '收銀機的請求有錯誤。'),
  fieldUnknown: because(
    'CORRECT_REQUEST',
    'The till sent a request with an unknown field.',
    '收銀機的請求有不明欄位。',
  ),
  fieldMisplaced: because(
    'CORRECT_REQUEST',
    'The till sent a field that does not belong to this transaction.',
    '收銀機的請求有不屬於此交易的欄位。',
  ),
  currencyUnknown: because('CORRECT_REQUEST', 'The till sent an unknown currency.', '收銀機送出不明貨幣。'),
  amountInvalid: because(
    'CORRECT_REQUEST',
    "The till sent an amount that can't be paid.",
    '收銀機送出不可付款的金額。',
  ),
  keyAmbiguous: because('CORRECT_REQUEST', 'The till sent a field twice.', '收銀機重複送出欄位。'),
  notJson: because('CORRECT_REQUEST', "The till's request can't be read.", '收銀機的請求無法讀取。'),
  notUtf8: because(
    'CORRECT_REQUEST',
    "The till's request has characters that can't be read.",
    '收銀機的請求有無法讀取的字元。',
  ),
  bodyTooLarge: because('CORRECT_REQUEST', "The till's request is too large.", '收銀機的請求過大。'),
  bodyIncomplete: because(
    'SAME_REQUEST',
    "The till's request did not arrive completely.",
    '收銀機的請求未能完整送達。',
  ),
  bodyEncoded: because(
    'CORRECT_REQUEST',
    "The till's request is compressed, which the terminal does not read.",
    '收銀機的請求經過壓縮，終端機無法讀取。',
  ),
  notJsonType: because('CORRECT_REQUEST', "The till's request is of a wrong type.", '收銀機的請求類型錯誤。'),
  notHttp: because('CORRECT_REQUEST', "The till's request is not HTTP.", '收銀機的請求並非 HTTP。'),
  expectationUnknown: because(
    'CORRECT_REQUEST',
    "The till's request has an Expect header that the terminal does not know.",
    '收銀機請求的 Expect 標頭不明。',
  ),
  headersTooLarge: because(
    'CORRECT_REQUEST',
    "The headers of the till's request are too large.",
    '收銀機請求的標頭過大。',
  ),
  requestTimeout: because('SAME_REQUEST', "The till's request did not arrive in time.", '收銀機的請求未能及時送達。'),
  httpsRequired: because('CORRECT_REQUEST', 'The terminal accepts HTTPS only.', '終端機只接受 HTTPS。'),
  pathUnknown: because('CORRECT_REQUEST', 'The terminal has no such call.', '終端機沒有此功能。'),
  methodNotAllowed: because(
    'CORRECT_REQUEST',
    'The terminal does not have this call with this HTTP method.',
    '終端機不接受此 HTTP 方法。',
  ),
  posIdReserved: because('CORRECT_REQUEST', 'This name is reserved for the terminal.', '此名稱由終端機保留。'),
  networkNotAllowed: because(
    'CALL_OPERATOR',
    'Calls from this network are not allowed. Call the operator.',
    '不容許此網絡的請求。請聯絡管理員。',
  ),
  hostNotAllowed: because(
    'CALL_OPERATOR',
    'The terminal was called by a name that is not its own. Call the operator.',
    '請求所用的主機名稱不屬於終端機。請聯絡管理員。',
  ),
  originNotAllowed: because(
    'CALL_OPERATOR',
    'This web page may not call the terminal. Call the operator.',
    '不容許此網頁的請求。請聯絡管理員。',
  ),
  notPaired: because(
    'CALL_OPERATOR',
    'This till is not paired with the terminal. Call the operator.',
    '此收銀機未與終端機配對。請聯絡管理員。',
  ),
  otherPosId: because('CORRECT_REQUEST', 'The key belongs to another till.', '此金鑰屬於另一部收銀機。'),
  readingBusy: because(
    'SAME_REQUEST',
    'Too many tills read lists and reports. Try again in a minute.',
    '已有太多收銀機讀取清單及報表。請於一分鐘後再試。',
  ),
  tooManyStreams: because('SAME_REQUEST', 'Too many tills listen already.', '已有太多收銀機接收事件。'),
  answerTooLong: because(
    'CORRECT_REQUEST',
    'The answer is too long for its way through the cloud. Ask for less, or call the operator.',
    '回覆過長，無法經雲端傳送。請減少查詢內容，或聯絡管理員。',
  ),
  tooManyCalls: because(
    'SAME_REQUEST',
    'The till asks too much at once. Try again.',
    '收銀機同時送出過多請求。請再試。',
  ),
  callBudgetSpent: because(
    'SAME_REQUEST',
    'This till makes too many requests. Try again in a minute.',
    '此收銀機的請求過多。請於一分鐘後再試。',
  ),
  pairingClosed: because(
    'CALL_OPERATOR',
    "Pairing is not open. Open it in the menu of the terminal's screen.",
    '配對並未開啟。請在終端機選單開啟。',
  ),
  pairingBusy: because('SAME_REQUEST', 'Another pairing is under way.', '另一配對正在進行。'),
  pairingNotCompleted: because(
    'CALL_OPERATOR',
    'An earlier pairing was not completed. Open pairing again.',
    '之前的配對未完成。請重新開啟配對。',
  ),
  pairingUnknown: because('CORRECT_REQUEST', 'There is no such pairing.', '沒有此配對。'),
  pairingChanged: because(
    'CALL_OPERATOR',
    'The key was changed on the way. Do not pair; call the operator.',
    '金鑰在傳送途中被更改。請勿配對並聯絡管理員。',
  ),
  pairingRefused: because('CALL_OPERATOR', 'Pairing was refused, or nobody answered.', '配對被拒絕或無人回應。'),
  pairingFull: because(
    'CALL_OPERATOR',
    'Too many tills are paired. Call the operator.',
    '已配對太多收銀機。請聯絡管理員。',
  ),
  // Of records.
  unspecified: because('ENQUIRE', 'The message tells why.', '原因見訊息。'),
} as const satisfies Readonly<Record<string, ReasonFacts>>;

export type Reason = keyof typeof reasons;

/** Why a request can't be carried out: the reason, and a text for the POS. */
export interface Refusal {
  readonly reason: Reason;
  readonly message: string;
}

function because(retryable: Retry, en: string, zhHant: string): ReasonFacts {
  return { retryable, text: { en, 'zh-Hant': zhHant } };
}
