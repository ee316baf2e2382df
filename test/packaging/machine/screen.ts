import assert from 'node:assert/strict';
import { type Container, until } from './container.ts';

// What the screen is told is as the tests say.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

const origin = 'http://127.0.0.1:8081';
const shownMs = 30_000;

/** The terminal's own screen, as a browser on the terminal has it: what it shows, and what is pressed. */
export class Screen {
  readonly #container: Container;
  #session = '';

  constructor(container: Container) {
    this.#container = container;
  }

  async login(password: string): Promise<void> {
    const { body } = await this.ask({ kind: 'login', password });
    assert.ok(body.session, JSON.stringify(body));
  }

  /** A request of the operator's menu, in the session of the last login. */
  async ask(
    body: { readonly kind: string } & Readonly<Record<string, unknown>>,
  ): Promise<{ readonly status: number; readonly body: Json }> {
    const isOpen = body.kind === 'look' || body.kind === 'login';
    const answer = await this.#post('/desk', isOpen ? body : { ...body, session: this.#session });
    this.#session = answer.body.session ?? this.#session;
    return answer;
  }

  /** What is shown, once it is what is wanted. */
  shown(what: string, isWanted: (view: Json) => boolean, event: 'message' | 'desk' = 'message'): Promise<Json> {
    return until(what, shownMs, async () => {
      const { said } = await this.#container.run(`curl -sN -m 0.3 ${origin}/events`);
      const views = said.split('\n\n').flatMap((each) => {
        const [, name = 'message'] = /^event: (.*)$/m.exec(each) ?? [];
        const [, data] = /^data: (.*)$/m.exec(each) ?? [];
        return name === event && data !== undefined ? [JSON.parse(data)] : [];
      });
      return views.find(isWanted);
    });
  }

  /** Presses something of the scene, once it is shown. */
  async press(scene: string, action: object): Promise<void> {
    const { transaction } = await this.shown(scene, (view) => view.scene === scene);
    const { status, body } = await this.#post('/action', { ...action, transaction });
    assert.ok(status < 300, JSON.stringify(body));
  }

  async #post(at: string, body: object): Promise<{ status: number; body: Json }> {
    const command = `curl -s -m 60 -w '\\n%{http_code}' -H 'Content-Type: application/json' -H 'Origin: ${origin}' -d @- ${origin}${at}`;
    const { said } = await this.#container.run(command, { input: JSON.stringify(body) });
    const [, answer = '', status = ''] = /^(.*)\n(\d+)$/s.exec(said) ?? [];
    return { status: Number(status), body: answer === '' ? {} : JSON.parse(answer) };
  }
}
