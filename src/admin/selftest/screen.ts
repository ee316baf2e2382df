import { majorText } from '../../base/domain/amount.ts';
import type { Configuration } from '../../config/configuration.ts';
import { terminalTransactionId } from '../../base/domain/identifiers.ts';
import { systemRandom } from '../../base/ports/clock.ts';
import { type ScreenServer, serveScreen } from '../../screen/server.ts';
import { fail, type Finding, pass, skip } from '../finding.ts';
import { askPerson, unattended } from './asked.ts';
import type { Person } from './person.ts';

/** Digits that no idle screen shows. */
const shownMinor = 123_456n;

/**
 * Shows a payment on the terminal's own page, which its browser finds again by itself, and waits for a touch of Cancel.
 * Nothing is paid: no terminal is behind it.
 */
export async function testScreen(
  { screen: { port, currency } }: { readonly screen: Pick<Configuration['screen'], 'port' | 'currency'> },
  person: Person | undefined,
  patienceMs: number,
): Promise<Finding[]> {
  if (!person) return [skip('display', unattended), skip('touch', unattended)];
  const opened = await serveScreen(port).catch((error: NodeJS.ErrnoException) => error.code ?? error.message);
  if (typeof opened === 'string') {
    const remedy = `ss -ltnp 'sport = :${port}'; systemctl stop that program`;
    return [fail('display', `its page can't be served on port ${port} (${opened})`, remedy), skip('touch', 'no page')];
  }
  try {
    return await testPage(opened, currency, person, patienceMs);
  } finally {
    await opened.close();
  }
}

async function testPage(
  screen: ScreenServer,
  currency: Configuration['screen']['currency'],
  person: Person,
  patienceMs: number,
): Promise<Finding[]> {
  const transaction = terminalTransactionId(new Date(), systemRandom.bytes(10));
  const amount = majorText({ minor: shownMinor, currency });
  screen.show({ scene: 'presentCard', transaction, amount, currency, cancellable: true });
  const page = `http://127.0.0.1:${screen.port}`;
  person.show(`The terminal's page is ${page}. Its browser finds it by itself.`);
  const question = `Within a few seconds the terminal's screen shows ${amount} ${currency}. Does it?`;
  const remedy = `the screen's cable and power; whether its browser shows ${page}`;
  const display = await askPerson('display', question, person, remedy);
  if (display.verdict !== 'PASS') return [display, skip('touch', 'nothing to touch is shown')];
  const touched = awaitCancel(screen, transaction, patienceMs);
  person.show(`Touch Cancel on the screen (${patienceMs / 1000} s).`);
  if (await touched) return [display, pass('touch', 'Cancel was touched')];
  return [
    display,
    fail('touch', 'nobody touched Cancel, or it was not felt', 'the cable of the touch panel; libinput list-devices'),
  ];
}

function awaitCancel(screen: ScreenServer, transaction: string, patienceMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isTouched: boolean) => {
      clearTimeout(timer);
      leave();
      resolve(isTouched);
    };
    const timer = setTimeout(() => end(false), patienceMs);
    const leave = screen.onAction((action) => {
      if (action.kind === 'cancel' && action.transaction === transaction) end(true);
    });
  });
}
