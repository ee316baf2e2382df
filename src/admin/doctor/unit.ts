import type { Machine } from '../machine.ts';
import { fail, type Finding, pass, skip, warn } from '../finding.ts';

const asked = 'LoadState,ActiveState,SubState,UnitFileState,NRestarts,StatusText,Result,ConditionResult';
const restartsMany = 3;

/** The service, as systemd sees it (systemctl(1), show). */
export function checkUnit(machine: Machine): Finding {
  const output = machine.run('systemctl', 'show', 'poid.service', '-p', asked);
  if (output === undefined) return skip('unit', 'no systemd runs here');
  const properties = new Map(
    output
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  const of = (name: string) => properties.get(name) ?? '';
  const log = 'journalctl -u poid -b -p warning -n 50';
  if (of('LoadState') !== 'loaded')
    return fail('unit', `poid.service is ${of('LoadState')}`, 'apt install ./poid_*.deb');
  if (of('ActiveState') === 'active') {
    if (of('UnitFileState') === 'disabled') {
      return warn('unit', 'it runs, but is not started with the machine', 'systemctl enable poid');
    }
    const text = `${of('SubState')}: ${of('StatusText')}`;
    if (Number(of('NRestarts')) > restartsMany) return warn('unit', `${text}; restarted ${of('NRestarts')} times`, log);
    return pass('unit', text);
  }
  if (of('ConditionResult') === 'no') {
    return fail('unit', 'it waits for a configuration', 'poid provision FILE, then systemctl start poid');
  }
  const why = findReason(of, machine);
  const text = `${of('ActiveState')} (${of('SubState')}, ${of('Result')})${why === '' ? '' : `: ${why}`}`;
  return fail('unit', text, `systemctl start poid; where it does not stay: ${log}`);
}

/**
 * Why the last start failed: the unit's status text until the next attempt; during that attempt, the last error of the
 * log.
 */
function findReason(of: (name: string) => string, machine: Machine): string {
  if (of('Result') !== 'success' && of('StatusText') !== '') return of('StatusText');
  if (Number(of('NRestarts')) === 0) return '';
  const own = ['_SYSTEMD_UNIT=poid.service', '-b', '-p', 'err', '-n', '1', '-o', 'cat', '--no-pager'];
  return (
    machine
      .run('journalctl', ...own)
      ?.trim()
      .split('\n')
      .at(-1) ?? ''
  );
}

interface Slot {
  readonly state?: string;
  readonly boot_status?: string;
  readonly bootname?: string;
}

/** Which of two systems runs, and whether the boot loader would take it again (rauc(1), status). */
export function checkSlot(machine: Machine): Finding {
  const output = machine.run('rauc', 'status', '--output-format=json');
  if (output === undefined) return skip('slot', 'this machine has one system only (no rauc)');
  const { slots = [] } = JSON.parse(output) as { slots?: readonly Readonly<Record<string, Slot>>[] };
  const all = slots.flatMap((each) => Object.values(each)).filter(({ bootname }) => bootname !== undefined);
  const booted = all.find(({ state }) => state === 'booted');
  if (!booted) return warn('slot', 'the system that runs is in no slot', 'rauc status');
  const name = `slot ${booted.bootname}`;
  if (booted.boot_status !== 'good') {
    return fail('slot', `${name} runs and is not marked good: the next boots go elsewhere`, 'rauc status mark-good');
  }
  const bad = all.find(({ state, boot_status: status }) => state !== 'booted' && status !== 'good');
  if (!bad) return pass('slot', `${name} runs; the other one can be booted too`);
  return warn(
    'slot',
    `${name} runs; slot ${bad.bootname} can't be booted: there is no way back`,
    'rauc install BUNDLE',
  );
}
