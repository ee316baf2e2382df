/** How the cardholder was verified: `authenticationMethod` of an answer (SPEC §2.4), and the CVM line of a receipt. */
export type AuthenticationMethod =
  | 'OFFLINE_PIN'
  | 'ONLINE_PIN'
  | 'OFFLINE_PIN_AND_SIGNATURE'
  | 'SIGNATURE'
  | 'NO_CVM'
  | 'CONSUMER_DEVICE'
  | 'UNKNOWN_METHOD';
