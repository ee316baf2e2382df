import { blank, centredLine, leftLine, rule } from '../../receipt/line.ts';
import type { PrinterFault, ReceiptPrinter } from '../../base/ports/receipt-printer.ts';
import { fail, type Finding, pass, skip } from '../finding.ts';
import { askPerson } from './asked.ts';
import type { Person } from './person.ts';

const remedies: Readonly<Record<PrinterFault, string>> = {
  absent: 'its power and its cable',
  'paper-out': 'put in paper',
  'cover-open': 'close its cover',
  error: 'switch it off and on; its cutter',
};

/**
 * Prints a page that states that it is no receipt. The printer reports whether it was printed; the operator judges its
 * look.
 */
export async function testPrinter(
  printer: ReceiptPrinter,
  serialNumber: string,
  person: Person | undefined,
): Promise<Finding> {
  const fault = await printer.print([
    [
      centredLine('SELF-TEST', 'double'),
      centredLine('no receipt, nothing was paid'),
      rule,
      leftLine(`terminal ${serialNumber}`),
      leftLine(new Date().toISOString()),
      leftLine('0123456789 ABCDEFGHIJKLMNOPQRSTUVWXYZ'),
      leftLine('多謝'),
      blank,
    ],
  ]);
  if (fault) return fail('printer page', `the printer says ${fault}`, remedies[fault]);
  if (!person) return pass('printer page', 'the printer says that it is on paper');
  const question = 'Is a page headed SELF-TEST on paper, readable, with its Chinese line, and cut?';
  return askPerson('printer page', question, person, 'paper of the right side; receipt.charset of the configuration');
}

/** The terminal can't detect a drawer, so the operator must look. */
export async function testDrawer(printer: ReceiptPrinter, person: Person | undefined): Promise<Finding> {
  if (!person) return skip('drawer', 'nothing tells whether it has opened: needs a person');
  const fault = await printer.openDrawer();
  if (fault) return fail('drawer', `the printer did not take the command: ${fault}`, remedies[fault]);
  const remedy = 'its cable to the printer; printer.drawerPin of the configuration; its lock';
  return askPerson('drawer', 'Has the cash drawer opened?', person, remedy);
}
