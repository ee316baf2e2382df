import type { Answer } from '../../pos/client/client.ts';
import { entriesOf } from './asked.ts';
import { columns } from './columns.ts';
import { exitCodes } from './exit-code.ts';
import { totalRows } from './list-commands.ts';
import { refusalLines, print, warn } from './said.ts';
import { Till, textOf, type TillFlags } from './till.ts';
import { shown } from './shown.ts';

/** `poid settle [ACQUIRER]`. */
export async function settle(flags: TillFlags, [acquirer]: readonly string[]): Promise<number> {
  const till = new Till(flags);
  await till.reach(flags['id'] === undefined ? exitCodes.refused : exitCodes.unknown);
  const identity = till.identity(textOf(flags, 'id'));
  print(`settlement at ${till.url}, ${identity.posId} ${identity.messageId}`);
  const merchantId = textOf(flags, 'merchant');
  const { client, answerText } = till.client();
  const { is, answer, ...rest } = await client.settle({
    ...identity,
    ...(acquirer === undefined ? {} : { acquirer: acquirer.toUpperCase() }),
    ...(merchantId === undefined ? {} : { merchantId }),
  });
  const fault = 'trouble' in rest ? rest.trouble : undefined;
  if (answer && flags['json']) process.stdout.write(`${answerText()}\n`);
  else if (answer) console.log(settlementText(answer));
  else warn(`no answer of the terminal: ${fault}. Ask later: poid enquire ${identity.messageId}${till.sameFlags}`);
  if (is === 'done') return 0;
  const isSettling = answer !== undefined && entriesOf(answer, 'settlements').length > 0;
  if (isSettling) return exitCodes.unsettled;
  return is === 'notDone' ? exitCodes.refused : exitCodes.unknown;
}

function settlementText(answer: Answer): string {
  const settlements = entriesOf(answer, 'settlements');
  const rows = settlements.flatMap((each) => {
    const head = [shown(each['acquirer']), shown(each['batch']), shown(each['result'])];
    return totalRows(each).map((total) => [...head, ...total]);
  });
  const notes = settlements.flatMap(({ acquirer, message }) =>
    message === undefined ? [] : [`${shown(acquirer)}: ${shown(message)}`],
  );
  const table = columns([['acquirer', 'batch', 'result', 'type', 'count', 'amount'], ...rows]);
  const refusal = answer.responseResult === 'SUCCESS' ? [] : refusalLines(answer);
  return [...(rows.length === 0 ? [] : [table]), ...notes, ...refusal].join('\n');
}
