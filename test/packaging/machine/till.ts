import assert from 'node:assert/strict';
import type { DocumentedTerminal } from './documented.ts';
import { address } from './documented.ts';
import { until } from './container.ts';
import type { Screen } from './screen.ts';

const pairMs = 30_000;
const heardMs = 70_000;

/** A paired point of sale at the shell (docs/shell.md): somebody who has no right on the machine on which it runs. */
export class Till {
  /** Flags by which its commands reach the terminal, and trust it. */
  readonly flags: string;
  readonly #terminal: DocumentedTerminal;
  readonly #screen: Screen;

  private constructor(flags: string, terminal: DocumentedTerminal, screen: Screen) {
    this.flags = flags;
    this.#terminal = terminal;
    this.#screen = screen;
  }

  /** Pairs as docs/pairing.md has it; the operator is logged in. */
  static async pair(terminal: DocumentedTerminal, screen: Screen): Promise<Till> {
    const { fingerprint } = await screen.shown('the fingerprint', (view) => 'fingerprint' in view, 'desk');
    const reached = `--terminal https://${address}:8080 --pos POS-1 --fingerprint ${fingerprint}`;
    await terminal.container.outputOf('rm -f pos.key code said', { cwd: '/srv/till' });
    const opened = await screen.ask({ kind: 'pair' });
    assert.equal(opened.status, 200, JSON.stringify(opened.body));
    const typed = `sh -c 'until [ -s code ]; do sleep 0.1; done; cat code' | poid pair pos.key ${reached} 2> said || cat said`;
    const pairing = terminal.asTill(`sh -c ${quoted(typed)}`);
    const { pairing: compared } = await screen.shown(
      'the six digits',
      (view) => view.pairing?.stage === 'compare',
      'desk',
    );
    await terminal.container.outputOf('cat > code', { cwd: '/srv/till', input: `${compared.code}\n` });
    await until('the digits are right', pairMs, async () =>
      (await terminal.container.run('grep -q "press Yes" said', { cwd: '/srv/till' })).code === 0 ? true : undefined,
    );
    const decided = await screen.ask({ kind: 'decide', yes: true, code: compared.code });
    assert.equal(decided.status, 200, JSON.stringify(decided.body));
    const { code, said } = await pairing;
    assert.match(said, /is paired/, `${code}: ${said}`);
    return new Till(`${reached} --key pos.key`, terminal, screen);
  }

  /** Resolves once its calls are taken: for some seconds after a start they might be repeats (docs/pairing.md). */
  isHeard(): Promise<unknown> {
    return until('the terminal takes signed calls', heardMs, async () =>
      (await this.#terminal.asTill(`poid status ${this.flags}`)).code === 0 ? true : undefined,
    );
  }

  /** A sale of HKD 30.00, and its answer. `press`: what is pressed on the screen for it, and in which scene. */
  async pays(flags: string, press?: readonly [scene: string, action: object]): Promise<Record<string, string>> {
    const selling = this.#terminal.asTill(
      `sh -c ${quoted(`poid pay 30 --json ${flags} ${this.flags} 2> said || cat said >&2`)}`,
    );
    if (press) await this.#screen.press(...press);
    const { said } = await selling;
    const [line = said] = said.split('\n').filter((each) => each.startsWith('{'));
    try {
      return JSON.parse(line) as Record<string, string>;
    } catch {
      return assert.fail(said);
    }
  }
}

function quoted(script: string): string {
  return `'${script.replaceAll("'", `'\\''`)}'`;
}
