import type { CodeScanner } from '../../base/ports/code-scanner.ts';
import { DeviceError } from '../../base/ports/device.ts';
import { fail, type Finding, pass, skip } from '../finding.ts';
import { unattended } from './asked.ts';
import type { Person } from './person.ts';

/** Reads one code of any kind. */
export async function testScan(scanner: CodeScanner, person: Person | undefined, patienceMs: number): Promise<Finding> {
  if (!person) return skip('scan', unattended);
  person.tell(`Show any bar code or QR code to the scanner (${patienceMs / 1000} s).`);
  const remedy = 'its light; its interface must be USB COM or serial, with a line end after the code';
  try {
    const outcome = await scanner.scan(AbortSignal.timeout(patienceMs));
    if (outcome.kind === 'code') return pass('scan', `a code of ${outcome.text.length} characters was read`);
    const text = outcome.kind === 'tryAgain' ? 'what it read is no code' : 'nothing was read';
    return fail('scan', text, remedy);
  } catch (error) {
    if (!(error instanceof DeviceError)) throw error;
    return fail('scan', error.message, remedy);
  }
}
