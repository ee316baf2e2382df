import { type DeviceAbsence, deviceAbsences } from '../../base/ports/device.ts';
import { absenceFinding } from '../checks/devices.ts';
import { fail, type Finding, pass, skip, warn } from '../finding.ts';
import type { LocalStatus } from '../local-status.ts';

/** The devices as a running terminal reports them. */
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

/** The journal as it reports it. */
export function journalOf(status: LocalStatus): Finding {
  const { journal, journalFault, journalCheck, archiveFault, journalMigration } = status;
  const keep = 'systemctl stop poid; cp -a the state directory elsewhere; then /usr/share/doc/poid/operations.md';
  if (journal === 'silent') return fail('journal', 'its disk does not answer', 'dmesg -l err; replace the disk');
  if (journal === 'full') return fail('journal', 'its disk is full: no payment begins', 'see disk');
  if (journalCheck?.state === 'damaged') return fail('journal', journalCheck.reason ?? 'it is damaged', keep);
  if (journalFault !== undefined) return warn('journal', journalFault, 'compare with the hosts’ books');
  if (archiveFault !== undefined) return warn('journal', archiveFault, 'journalctl -u poid -p err -n 50');
  if (journalMigration === 'failed') {
    return warn('journal', 'it could not be migrated, and is used as it is', 'journalctl -u poid -p warning -n 50; df');
  }
  const queued = `${status.pendingReversals} reversals and ${status.pendingAdvices} advices wait for their host`;
  const waits = journalMigration === 'onTrial' ? '; its migration waits until this version is accepted' : '';
  return pass('journal', `read through: ${journalCheck?.state ?? 'unknown'}; ${queued}${waits}`);
}

/** Whether each acquirer takes payments with its present settings. */
export function holdsOf({ acquirers = [] }: LocalStatus): Finding {
  return holdFinding(acquirers.flatMap(({ held }) => (held ? [held.message] : [])));
}

/** `messages`: of the acquirers that are held. */
export function holdFinding(messages: readonly string[]): Finding {
  const part = 'acquirers';
  if (messages.length === 0) return pass(part, 'none is held because of changed settings');
  return fail(
    part,
    messages.join('; '),
    'poid settle; /usr/share/doc/poid/operations.md, "Change an acquirer’s settings"',
  );
}

/** Whether the banks' books differ from the journal. */
export function booksOf({ journal, discrepancies = [] }: LocalStatus): Finding {
  if (journal === 'silent') return skip('books', 'its journal does not answer');
  if (discrepancies.length === 0) return pass('books', 'no difference from the hosts’ books is open');
  const details = discrepancies.map(({ kind, at, since = '', acquirer = '', batch = 0 }) =>
    kind === 'journalRestored'
      ? `payments ${since === '' ? '' : `from ${since} `}to ${at} are missing: ` +
        'an older copy of the journal was restored'
      : `${acquirer}: the host had other totals of batch ${batch}, settled ${at}`,
  );
  return warn(
    'books',
    details.join('; '),
    'compare with the bank; then Waiting for the bank, in the menu of the screen',
  );
}

/** Whether the hosts accept it. */
export function recognitionOf({ acquirers = [] }: LocalStatus): Finding {
  const faults = acquirers.flatMap(({ commissioningFault: fault, ...each }) => (fault ? [{ ...each, ...fault }] : []));
  if (faults.length === 0) return pass('commissioning', 'no host has said that it does not know this terminal');
  const details = faults.map(
    ({ id, hostCode, since, mid = '', tid = '' }) =>
      `${id}: the bank does not know this terminal (code ${hostCode} since ${since}; mid ${mid || '-'}, tid ${tid || '-'})`,
  );
  const remedy =
    'ask the bank for its numbers and keys: acquirers[].mid, tid, appCode and clientKey of the configuration';
  return warn('commissioning', details.join('; '), remedy);
}
