import type { AnswerMode } from './host-wire.ts';
import type { Link } from './link.ts';
import type { HostMode } from './mode.ts';

export type NetworkName = 'signOn' | 'echo' | 'signOff';

/** A message about the connection. */
export interface NetworkRequest {
  readonly name: NetworkName;
  /** Its answer, with this field 39. */
  answer(code: string, mode: AnswerMode): Buffer;
}

/** What becomes of sign-ons. forgotten: it is approved, and what follows on the connection is refused. */
export const signOnManners = ['refused', 'silent', 'forgotten'] as const;
export type SignOnManner = (typeof signOnManners)[number];

const [approved, refused] = ['00', '58'];

/** Which connections have signed on. */
export class SignOns {
  readonly #links = new WeakSet<Link>();

  has(link: Link): boolean {
    return this.#links.has(link);
  }

  /** The answer to a message about the connection; undefined if it gets none. */
  take(link: Link, request: NetworkRequest, mode: HostMode): Buffer | undefined {
    const { name } = request;
    const answer = (code = '') => request.answer(code, mode);
    if (name === 'echo') return mode.silentEchoes === true ? undefined : answer(approved);
    if (name === 'signOff') {
      this.#links.delete(link);
      return answer(approved);
    }
    if (mode.signOn === 'silent') return undefined;
    if (mode.signOn === 'refused') return answer(refused);
    if (mode.signOn !== 'forgotten') this.#links.add(link);
    return answer(approved);
  }
}
