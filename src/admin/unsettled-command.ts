import { groupedText, majorText } from '../base/domain/amount.ts';
import { jsonText } from '../base/standard-output.ts';
import { UsageError } from '../base/usage-error.ts';
import type { CommissioningFlags } from './flags.ts';
import { stateDirOf } from '../config/places.ts';
import { unsettledLines } from './idle-journal.ts';

const unsettledCode = 3;

/** `poid unsettled`: lists the unsettled money, a line each. Exit codes: 0 none, 3 some. */
export async function unsettledCommand(flags: CommissioningFlags, parameters: readonly string[]): Promise<number> {
  if (parameters.length > 0) throw new UsageError('unsettled takes no arguments');
  const lines = await unsettledLines(await stateDirOf(flags), flags.json ? majorText : groupedText);
  if (flags.json) console.log(jsonText({ unsettled: lines }));
  else console.log(lines.length === 0 ? 'nothing is unsettled' : lines.join('\n'));
  return lines.length === 0 ? 0 : unsettledCode;
}
