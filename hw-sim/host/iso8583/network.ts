export type NetworkName = 'signOn' | 'echo' | 'signOff';

/** A message about the connection. */
export interface NetworkRequest {
  readonly name: NetworkName;
  /** Its answer, with this field 39. */
  answer(code: string): Buffer;
}

/** What becomes of sign-ons. forgotten: it is approved, and what follows on the connection is refused. */
export const signOnManners = ['refused', 'silent', 'forgotten'] as const;
export type SignOnManner = (typeof signOnManners)[number];

/** How the host behaves about connections now. */
interface NetworkMode {
  readonly signOn?: SignOnManner | undefined;
  readonly silentEchoes?: boolean | undefined;
}

const [approved, refused] = ['00', '58'];

/** Which connections have signed on. */
export class SignOns {
  readonly #links = new WeakSet<object>();

  has(link: object): boolean {
    return this.#links.has(link);
  }

  /** The answer to a message about the connection; undefined if it gets none. */
  take(link: object, request: NetworkRequest, mode: NetworkMode): Buffer | undefined {
    const { name } = request;
    const answer = (code = '') => request.answer(code);
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
