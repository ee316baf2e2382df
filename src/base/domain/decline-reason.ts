/**
 * Why a payment was declined, as the terminal needs it. Each acquirer and driver maps its own codes to these reasons.
 * The code accompanies the reason, to be printed, reported and logged.
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
  /** The host does not know this terminal or its merchant, or its key is wrong. Independent of the card. */
  | 'terminalUnknown'
  | 'amountLimitExceeded'
  /** Too many payments, or too many without a PIN. */
  | 'countLimitExceeded'
  | 'securityViolation'
  /** A stored-value card that can't be used. */
  | 'cardUnusable'
  /** The host has a message with this number already. It does not repeat its first answer. */
  | 'duplicate'
  /** The host could not decide. Independent of the card. */
  | 'hostTrouble'
  /** No reason is known. */
  | 'declined';

/** The host does not accept this terminal as it was commissioned. Independent of the card. */
export const commissioningReasons: readonly DeclineReason[] = ['terminalUnknown', 'notPermittedToTerminal'];

/**
 * The issuer has decided about the card, so its host knows this terminal. The other reasons may come from a host that
 * has not looked for the terminal yet.
 */
export const issuerReasons: readonly DeclineReason[] = [
  'lostCard',
  'stolenCard',
  'insufficientFunds',
  'insufficientBalance',
  'expiredCard',
  'wrongPin',
  'pinTriesExceeded',
  'amountLimitExceeded',
  'countLimitExceeded',
];
