import { isSignature, type Signature } from '../../base/domain/signature.ts';

/**
 * The customer has signed on the screen. Personal data: it is printed on the merchant's copy and shown nowhere else.
 */
export interface Signed {
  readonly kind: 'signed';
  readonly strokes: Signature;
}

/** The part of a record with it. */
export interface SignatureFields {
  /** The customer has signed on the screen. The last one counts. */
  readonly signature?: Signature;
}

export const signatureEvent = {
  since: 20,
  isWhole: ({ strokes }: { readonly strokes?: unknown }) => isSignature(strokes),
  fold: <Each extends SignatureFields>(record: Each, { strokes }: Signed): Each => ({ ...record, signature: strokes }),
};

export const signatureScreen = { scenes: ['sign', 'checkSignature'], hints: [] } as const;

export interface SignatureView {
  /** checkSignature: the drawn signature. */
  readonly signature?: Signature;
}

export type SignatureAction =
  /** sign: the customer has drawn this. */
  | { readonly kind: 'sign'; readonly strokes: Signature }
  /** checkSignature: the merchant wants another one, or accepts this one. */
  | { readonly kind: 'signAgain' }
  | { readonly kind: 'acceptSignature' }
  /** sign, checkSignature: the slip gets a line to sign on. */
  | { readonly kind: 'signOnPaper' };
