import type { Signature } from '../../base/domain/signature.ts';

/** The customer has signed on the screen. Personal data: it is shown on the merchant's copy and told nowhere else. */
export interface Signed {
  readonly kind: 'signed';
  readonly strokes: Signature;
}

/** The last one counts. */
export function withSignature<Each extends { readonly signature?: Signature }>(
  record: Each,
  { strokes }: Signed,
): Each {
  return { ...record, signature: strokes };
}
