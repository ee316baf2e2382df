import type { Link } from './link.ts';
import type { HostMode } from './mode.ts';
import type { IssuedKey } from './host-keys.ts';
import type { NetworkRequest } from './network-request.ts';

const [approved, refused] = ['00', '58'];

/** Answers network management messages, and records which connections have signed on. */
export class SignOns {
  readonly #links = new WeakSet<Link>();
  readonly #issue: (() => IssuedKey) | undefined;

  /** `issue`: returns the next working key, for a host that sends working keys. */
  constructor(issue?: () => IssuedKey) {
    this.#issue = issue;
  }

  has(link: Link): boolean {
    return this.#links.has(link);
  }

  /** The answer to a network management message; undefined if the host does not answer. */
  take(link: Link, request: NetworkRequest, mode: HostMode): Buffer | undefined {
    const { name } = request;
    const answer = (code = '') => request.answer(code, mode);
    if (name === 'echo') return mode.silentEchoes === true ? undefined : answer(approved);
    if (name === 'keyExchange') return this.#keyFor(request, mode);
    if (name === 'signOff') {
      this.#links.delete(link);
      return answer(approved);
    }
    if (mode.signOn === 'silent') return undefined;
    if (mode.signOn === 'refused') return answer(refused);
    if (mode.signOn !== 'forgotten') this.#links.add(link);
    return answer(approved);
  }

  #keyFor(request: NetworkRequest, mode: HostMode): Buffer | undefined {
    if (mode.keyExchange === 'silent') return undefined;
    if (!this.#issue || mode.keyExchange === 'refused') return request.answer(refused, mode);
    const { wrapped, checkValue } = this.#issue();
    const wrong = checkValue.map((byte, at) => (at === 0 ? byte ^ 0xff : byte));
    const sent = mode.keyExchange === 'wrongCheckValue' ? Buffer.from(wrong) : checkValue;
    return request.answer(approved, mode, { wrapped, checkValue: sent });
  }
}
