import { type DeviceAbsence, deviceAbsences } from '../../ports/device.ts';
import { absenceFinding } from '../checks/devices.ts';
import { fail, type Finding, pass, warn } from '../finding.ts';
import type { LocalStatus } from '../local-status.ts';

/** What a running terminal says of its devices. */
export function devicesOf({ devices = {} }: LocalStatus): Finding[] {
  return Object.entries(devices).map(([kind, { name, state, reason, fault = 'none' }]) => {
    if (state !== 'ready') return absenceFinding(kind, name, knownAbsence(reason));
    if (fault === 'none') return pass(kind, `${name} is ready`);
    return fail(kind, `${name}: ${fault}`, 'its paper and its cover');
  });
}

function knownAbsence(reason: string | undefined): DeviceAbsence | undefined {
  return deviceAbsences.find((each) => each === reason);
}

/** What it says of its journal. */
export function journalOf(status: LocalStatus): Finding {
  const { journal, journalFault, journalCheck, archiveFault, pendingReversals, pendingAdvices } = status;
  const keep = 'systemctl stop poid; cp -a the state directory elsewhere; then docs/operations.md';
  if (journal === 'silent') return fail('journal', 'its disk does not answer', 'dmesg -l err; replace the disk');
  if (journal === 'full') return fail('journal', 'its disk is full: no payment begins', 'see disk');
  if (journalCheck?.state === 'damaged') return fail('journal', journalCheck.reason ?? 'it is damaged', keep);
  if (journalFault !== undefined) return warn('journal', journalFault, 'compare with the hosts’ books');
  if (archiveFault !== undefined) return warn('journal', archiveFault, 'journalctl -u poid -p err -n 50');
  const queued = `${pendingReversals} reversals and ${pendingAdvices} advices wait for their host`;
  return pass('journal', `read through: ${journalCheck?.state ?? 'unknown'}; ${queued}`);
}
