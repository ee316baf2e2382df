import type { Configuration } from '../../config/configuration.ts';
import type { Machine } from '../machine.ts';
import { type Finding, pass, skip, warn } from '../finding.ts';

const part = 'priority';

/** The process of the service. */
export const priorityQuestion = ['systemctl', 'show', 'poid.service', '-p', 'MainPID', '--value'] as const;

/** Whether a thread of the service was put before the others, as that of a reader on a line is (setpriority(2)). */
export function checkPriority(machine: Machine, { reader }: Pick<Configuration, 'reader'>): Finding {
  const isOnLine = reader.path !== undefined || reader.hid?.stream !== undefined;
  if (!isOnLine) return skip(part, 'a reader on HID has no thread of the service');
  const pid = Number(machine.run(...priorityQuestion) ?? 0);
  if (!(pid > 0)) return skip(part, 'the service does not run');
  const values = machine.list(`/proc/${pid}/task`).map((thread) => niceOf(machine, `/proc/${pid}/task/${thread}/stat`));
  const least = Math.min(0, ...values);
  if (least < 0) return pass(part, `the reader’s thread is before others (${least})`);
  const remedy = 'LimitNICE=-10 is missing: systemctl revert poid; systemctl restart poid';
  return warn(part, 'the reader’s thread waits as long as any other: where the machine is busy, a tap does', remedy);
}

/** The nineteenth field, counted from behind the name, which may have spaces (proc(5), stat). */
function niceOf(machine: Machine, file: string): number {
  const stat = machine.read(file) ?? '';
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16] ?? 0);
}
