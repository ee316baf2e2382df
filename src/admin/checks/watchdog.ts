import type { Machine } from '../machine.ts';
import { fail, type Finding, pass, skip } from '../finding.ts';

/** Whether systemd feeds the machine's hardware watchdog, which restarts it if the kernel hangs. */
export function checkWatchdog(machine: Machine): Finding {
  const names = machine.list('/sys/class/watchdog');
  if (names.length === 0) return skip('watchdog', 'this machine has none (/sys/class/watchdog)');
  const running = names.find((name) => machine.read(`/sys/class/watchdog/${name}/state`)?.trim() === 'active');
  const text = (name: string) => machine.read(`/sys/class/watchdog/${name}/identity`)?.trim() ?? name;
  if (running !== undefined) {
    const seconds = machine.read(`/sys/class/watchdog/${running}/timeout`)?.trim();
    return pass('watchdog', `${text(running)} is fed${seconds === undefined ? '' : `, ${seconds} s`}`);
  }
  const remedy = 'RuntimeWatchdogSec=30 in /etc/systemd/system.conf, then systemctl daemon-reexec';
  return fail('watchdog', `${text(names[0] ?? '')} is there, and nobody feeds it`, remedy);
}
