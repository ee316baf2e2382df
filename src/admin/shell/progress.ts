import type { Client, Identity } from '../../pos/client/client.ts';
import { print } from './said.ts';
import { shown } from './shown.ts';

/** The terminal's progress, for the user of the shell. */
const steps: Readonly<Record<string, string>> = {
  choosingTip: 'the customer chooses a tip on the screen',
  choosingMethod: 'present a card, or choose another way to pay on the screen',
  presentingCard: 'present a card',
  choosingAccount: 'the account is chosen on the screen',
  enteringPin: 'the customer enters the PIN',
  scanningCode: 'show the code of the phone to the scanner',
  presentingCode: 'scan the code on the screen',
  tappingOctopus: 'tap the Octopus card',
  tenderingCash: 'enter the amount received on the screen',
  atHost: 'asking the bank',
  // A short state without any action of a person.
  disarming: '',
  concluding: '',
};

const states: Readonly<Record<string, string>> = {
  collecting: 'waiting for the customer',
  authorizing: 'asking the bank',
  settling: 'settling',
  approved: 'approved',
  declined: 'declined',
  error: 'ended with an error',
  idle: 'idle',
};

const hints: Readonly<Record<string, string>> = {
  removeCard: 'the card may be removed',
  wrongPin: 'the PIN was wrong',
};

/** One change of state in words. */
export function stateText({ state = '', step, hint }: Readonly<Record<string, string>>): string {
  const said = step === undefined ? (states[state] ?? shown(state)) : (steps[step] ?? spaced(shown(step)));
  return hint === undefined ? said : `${said} (${hints[hint] ?? spaced(shown(hint))})`;
}

/** 'cardNotRead' is 'card not read'. */
function spaced(name: string): string {
  return name.replaceAll(/(?=[A-Z])/g, ' ').toLowerCase();
}

/** Calls back with each state of one transaction, until `signal`. It is a hint: the answer alone is proof. */
export async function followTransaction(
  client: Client,
  { posId, messageId }: Identity,
  signal: AbortSignal,
  onState: (state: Readonly<Record<string, string>>) => void,
): Promise<void> {
  for await (const { event, data } of client.events({ posId, signal })) {
    if (event === 'state' && data['messageId'] === messageId) onState(data);
  }
}

/** Prints a line on standard error for each change, and none twice. */
export function progressTeller(): (state: Readonly<Record<string, string>>) => void {
  let last = '';
  return (state) => {
    const text = stateText(state);
    // The outcome is printed from the answer.
    if (text === '' || text === last || !['collecting', 'authorizing', 'settling'].includes(state['state'] ?? ''))
      return;
    last = text;
    print(`  ${text}`);
  };
}
