import type { AgentParts } from './agent-parts.ts';
import { chooseBundle } from './bundle-choice.ts';

/**
 * hawkBit's user confirmation. Nobody sits at a terminal to be asked, and what is installed is checked again later: so the terminal
 * confirms what it can take, and denies with its reason what it would refuse. hawkBit keeps a denied action waiting.
 */
export class Confirmation {
  readonly #parts: Pick<AgentParts, 'ddi' | 'limits' | 'log'>;
  /** It is offered at each poll until somebody cancels it; hawkBit hears the reason once. */
  #denied: string | undefined;

  constructor(parts: Pick<AgentParts, 'ddi' | 'limits' | 'log'>) {
    this.#parts = parts;
  }

  /** Whether it was confirmed. Rejects with DdiError. */
  async answer(link: URL): Promise<boolean> {
    const { ddi, limits, log } = this.#parts;
    const offered = await ddi.readConfirmation(link);
    if (offered.id === this.#denied) return false;
    const bundle = chooseBundle(offered, limits.bundleBytesMax, link);
    if (typeof bundle === 'string') {
      await ddi.confirm(link, { confirmation: 'denied', details: [bundle] });
      this.#denied = offered.id;
      log.warn('update: denied', { reason: bundle });
      return false;
    }
    await ddi.confirm(link, { confirmation: 'confirmed', details: [`version ${bundle.version} can be taken`] });
    return true;
  }
}
