import type { AcquirerId } from '../../base/domain/identifiers.ts';

/** A message as it was sent to a card host, or has come from it. */
export interface LineMessage {
  readonly acquirerId: AcquirerId;
  readonly direction: 'sent' | 'received';
  /** Decoded by the host's dialect. It has no card data, PIN block, key or code of a message. */
  masked(): MaskedMessage;
}

export interface MaskedMessage {
  /** The message type; absent if the bytes are no message of the dialect. */
  readonly mti?: string;
  /** Of the message, without what frames it. */
  readonly bytes: number;
  readonly parts: readonly MaskedPart[];
  /** Why it could not be read, or not all of it. */
  readonly fault?: string;
}

export interface MaskedPart {
  readonly field: number;
  readonly name: string;
  /** As they stand in the message, with the length before the value. */
  readonly bytes: number;
  /** Text, or bytes in hexadecimal; absent for what is not shown. */
  readonly value?: string;
  /** The EMV objects of field 55. */
  readonly objects?: readonly MaskedObject[];
}

export interface MaskedObject {
  readonly tag: string;
  readonly name: string;
  readonly bytes: number;
  /** Hexadecimal; absent for what is not shown. */
  readonly value?: string;
}

/** Hears of the messages of all card lines, at once. It must not throw. */
export type LineMessageListener = (message: LineMessage) => void;
