import { UsageError } from '../../base/usage-error.ts';
import { warn } from './said.ts';
import { explain, textOf, type TillFlags } from './till.ts';

/** The simulator waits so long for the terminal to ask; then the same is done again. */
const holdMs = 3_000;

/** Hints that request the same action again, and hints that request another one. */
const asksAgain = new Set(['presentAgain', 'holdCard', 'oneCardOnly', 'wrongPin', 'insertCard', 'swipeCard']);
const otherEntry: Readonly<Record<string, string>> = { insertCard: 'insert', swipeCard: 'swipe' };

type Act = readonly [call: string, body: () => Promise<object>];

/** Plays the customer by the simulator's control API, as the terminal asks for one thing after the other. */
export class SimulatedCustomer {
  readonly #url: string;
  readonly #flags: TillFlags;
  readonly #signal: AbortSignal;
  readonly #onFault: () => void;
  /** The terminal's current request. */
  #asked = '';

  /** `onTrouble`: called if the customer can't present anything. Throws UsageError. */
  constructor(flags: TillFlags, signal: AbortSignal, onFault: () => void) {
    const url = textOf(flags, 'sim') ?? 'http://127.0.0.1:8090';
    if (!URL.canParse(url)) throw new UsageError(`--sim takes the simulator's address, not '${url}'`);
    this.#url = url;
    this.#flags = flags;
    this.#signal = signal;
    this.#onFault = onFault;
  }

  /** Performs the action that this state requests, once; again if the terminal requests it again. */
  meet({ state, step = '', hint = '' }: Readonly<Record<string, string>>): void {
    if (hint === 'removeCard') this.#start(['reader/remove', async () => ({})], this.#asked);
    const asked = asksAgain.has(hint) ? `${step} ${hint}` : step;
    if (state !== 'collecting' || asked === this.#asked) return;
    this.#asked = asked;
    const act = this.#actFor(step, otherEntry[hint]);
    if (typeof act === 'string') warn(`  ${act}`);
    else if (act) this.#start(act, asked);
  }

  #start(act: Act, asked: string): void {
    void this.#do(act, asked).catch((error: unknown) => {
      warn(`  the simulator: ${explain(error)}`);
      this.#onFault();
    });
  }

  #actFor(step: string, asksFor: string | undefined): Act | string | undefined {
    const { card = 'visa', pin, wallet = 'ALIPAY', ...given } = this.#readWords();
    const entry = asksFor ?? given.entry ?? (card.startsWith('eps') ? 'swipe' : 'tap');
    const octopus = this.#readWords().card ?? 'octopus';
    const acts: Readonly<Record<string, Act | string>> = {
      choosingMethod: [`reader/${entry}`, async () => ({ card })],
      presentingCard: [`reader/${entry}`, async () => ({ card })],
      enteringPin:
        pin === undefined ? 'a PIN is asked for: give it by --pin' : ['pin-pad/enter', async () => ({ pin })],
      scanningCode: ['scanner/scan', async () => this.#call('wallet/code', { wallet })],
      presentingCode: ['wallet/pay', async () => ({})],
      tappingOctopus: ['octopus/tap', async () => ({ card: octopus })],
      choosingAccount: 'the simulator has no hand for the screen: choose the account there',
      tenderingCash: 'the simulator has no hand for the screen: enter the cash there',
      choosingTip: 'the simulator has no hand for the screen: choose the tip there',
    };
    return acts[step];
  }

  #readWords() {
    const { card, entry, pin, method } = this.#flags as Readonly<Record<string, string | undefined>>;
    return { card, entry, pin, wallet: method?.toUpperCase() };
  }

  /** Again and again, until the terminal has asked for it, or asks for something else. */
  async #do([call, body]: Act, asked: string): Promise<void> {
    while (!this.#signal.aborted && this.#asked === asked) {
      const answer = await this.#call(call, { ...(await body()), holdMs }).catch((error: unknown) => error as Error);
      if (!(answer instanceof TooEarly)) {
        if (answer instanceof Error && !this.#signal.aborted) throw answer;
        return;
      }
    }
  }

  async #call(call: string, body: object): Promise<object> {
    const response = await fetch(new URL(`/api/${call}`, this.#url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: this.#signal,
    });
    const answer = (await response.json()) as { readonly error?: string };
    if (response.status === 409) throw new TooEarly();
    if (!response.ok) throw new Error(answer.error ?? `status ${response.status}`);
    return answer;
  }
}

/** The terminal has not requested it. */
class TooEarly extends Error {}
