/** What becomes of sign-ons. forgotten: it is approved, and what follows on the connection is refused. */
export const signOnManners = ['refused', 'silent', 'forgotten'] as const;
export type SignOnManner = (typeof signOnManners)[number];

/** What becomes of exchanges of keys. */
export const keyExchangeManners = ['refused', 'silent', 'wrongCheckValue'] as const;
export type KeyExchangeManner = (typeof keyExchangeManners)[number];

/**
 * The host takes another working key on its own. told: it still knows the former one, and says under that one that it is
 * no longer right. forgotten: it says so under its own.
 */
export const outOfStepManners = ['told', 'forgotten'] as const;
export type OutOfStepManner = (typeof outOfStepManners)[number];
