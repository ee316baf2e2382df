/**
 * The host's reaction to sign-ons. forgotten: it approves the sign-on, and refuses the next message on the connection.
 */
export const signOnManners = ['refused', 'silent', 'forgotten'] as const;
export type SignOnManner = (typeof signOnManners)[number];

/** The host's reaction to exchanges of keys. */
export const keyExchangeManners = ['refused', 'silent', 'wrongCheckValue'] as const;
export type KeyExchangeManner = (typeof keyExchangeManners)[number];

/**
 * The host changes its working key without an exchange. announced: it still has the former key, and reports the change
 * in an answer under that key. forgotten: it reports the change in an answer under the new key.
 */
export const outOfStepManners = ['announced', 'forgotten'] as const;
export type OutOfStepManner = (typeof outOfStepManners)[number];
