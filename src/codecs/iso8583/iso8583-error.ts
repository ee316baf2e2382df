/**
 * truncated: the bytes end inside a field; trailing-bytes: more bytes than the message has; bad-character: a digit,
 * nibble or letter that the field's encoding does not have; bad-padding: a filler other than the agreed one;
 * too-long: over the field's, or the frame's, limit; wrong-length: not what a fixed field asks for;
 * unknown-field: the message specification has no such field; too-short: a frame with no room for a message.
 */
export type Iso8583ErrorCode =
  | 'truncated'
  | 'trailing-bytes'
  | 'bad-character'
  | 'bad-padding'
  | 'too-long'
  | 'wrong-length'
  | 'unknown-field'
  | 'too-short';

/** Where in a message: field 0 is the message type, field 1 the bitmap. */
export interface Place {
  readonly field: number;
  /** Bytes from the start of the message type; from the start of the frame for a fault of framing; 0 when packing. */
  readonly offset: number;
}

/** Names the place and the rule, never the content: it could be a card number. */
export class Iso8583Error extends Error {
  override readonly name = 'Iso8583Error';
  readonly code: Iso8583ErrorCode;
  readonly field: number;
  readonly offset: number;

  constructor(code: Iso8583ErrorCode, place: Place) {
    super(`ISO 8583 ${code}, field ${place.field}, byte ${place.offset}`);
    this.code = code;
    this.field = place.field;
    this.offset = place.offset;
  }
}
