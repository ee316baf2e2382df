import type { IssuedKey } from './host-keys.ts';
import type { AnswerMode } from './mode.ts';

export type NetworkName = 'signOn' | 'keyExchange' | 'echo' | 'signOff';

/** A network management message. */
export interface NetworkRequest {
  readonly name: NetworkName;
  /** Builds its answer, with `code` in field 39, and with a key if there is one. */
  answer(code: string, mode: AnswerMode, key?: IssuedKey): Buffer;
}
