/**
 * Why a payment was declined, as the terminal needs it. Each acquirer and driver maps its own codes to these reasons.
 * The code accompanies the reason, to be printed, told and logged.
 */
export type DeclineReason =
  | 'referToIssuer'
  | 'doNotHonour'
  | 'invalidTransaction'
  | 'invalidAmount'
  | 'invalidCardNumber'
  | 'lostCard'
  | 'stolenCard'
  | 'expiredCard'
  | 'insufficientFunds'
  /** The wallet's balance. */
  | 'insufficientBalance'
  /** The value on a stored-value card. */
  | 'insufficientValue'
  | 'wrongPin'
  | 'pinTriesExceeded'
  /** This card requires a PIN. */
  | 'pinRequired'
  | 'notPermittedToCardholder'
  | 'notPermittedToTerminal'
  | 'amountLimitExceeded'
  /** Too many payments, or too many without a PIN. */
  | 'countLimitExceeded'
  | 'securityViolation'
  /** A stored-value card that can't be used. */
  | 'cardUnusable'
  /** The host has a message with this number already. It does not repeat its first answer. */
  | 'duplicate'
  /** The host could not decide. This says nothing about the card. */
  | 'hostTrouble'
  /** No reason is known. */
  | 'declined';
