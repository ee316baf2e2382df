import type { IssuedKey } from './host-keys.ts';
import type { AnswerMode } from './mode.ts';

export type NetworkName = 'signOn' | 'keyExchange' | 'echo' | 'signOff';

/** A message about the connection. */
export interface NetworkRequest {
  readonly name: NetworkName;
  /** Its answer, with this field 39, and with a key. */
  answer(code: string, mode: AnswerMode, key?: IssuedKey): Buffer;
}
