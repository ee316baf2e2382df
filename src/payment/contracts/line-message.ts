import type { AcquirerId } from '../../base/domain/identifiers.ts';

/** A message that was sent to a card host or received from it. */
export interface LineMessage {
  readonly acquirerId: AcquirerId;
  readonly direction: 'sent' | 'received';
  /** The message, decoded by the host's dialect, without card data, PIN blocks, keys and authentication codes. */
  masked(): MaskedMessage;
}

export interface MaskedMessage {
  /** The message type; absent if the bytes are not a message of the dialect. */
  readonly mti?: string;
  /** The length of the message without its framing. */
  readonly bytes: number;
  readonly parts: readonly MaskedPart[];
  /** Why the message could not be read completely. */
  readonly fault?: string;
}

export interface MaskedPart {
  readonly field: number;
  readonly name: string;
  /** The length in the message, including a length prefix. */
  readonly bytes: number;
  /** Text, or bytes in hexadecimal; absent if it is not shown. */
  readonly value?: string;
  /** The EMV objects of field 55. */
  readonly objects?: readonly MaskedObject[];
}

export interface MaskedObject {
  readonly tag: string;
  readonly name: string;
  readonly bytes: number;
  /** Hexadecimal; absent if it is not shown. */
  readonly value?: string;
}

/** Called at once with each message to or from a card host. It must not throw. */
export type LineMessageListener = (message: LineMessage) => void;
