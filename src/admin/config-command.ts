import { findAcquirerFileFaults } from '../config/acquirer-files.ts';
import { findFaults } from '../config/faults.ts';
import { readText } from '../config/json-file.ts';
import { configurationJsonSchema } from '../config/reference.ts';
import type { SampleName } from '../config/methods.ts';
import { sampleConfiguration, sampleNames } from '../config/sample.ts';
import { nearestWord } from '../base/domain/nearest-word.ts';
import { plainText } from '../base/domain/plain-text.ts';
import { jsonText } from '../base/standard-output.ts';
import { UsageError } from '../base/usage-error.ts';
import { dialectCommand } from './dialect-command.ts';
import type { CommissioningFlags } from './flags.ts';
import { findPictureFaults } from './picture-faults.ts';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { loadConfiguration } from '../config/load.ts';
import { AcquirersInUse } from '../payment/holds/acquirers-in-use.ts';
import { findHolds } from '../payment/holds/find-holds.ts';
import { holdText } from '../payment/holds/held-acquirers.ts';
import { JournalError } from '../payment/contracts/journal.ts';
import { withIdleJournal } from './idle-journal.ts';

const faultyCode = 1;

/**
 * `poid config schema` prints the JSON Schema of a configuration, `poid config sample` a small one that can be used.
 * `poid config check FILE` lists the first hundred faults of a file, one per line. It needs no terminal and no keys.
 * Its exit codes: 0 no fault, 1 faults. It warns if this terminal has unsettled payments of an acquirer that the
 * configuration removes or changes.
 */
export async function configCommand(flags: CommissioningFlags, parameters: readonly string[]): Promise<number> {
  const [action, ...rest] = parameters;
  const [file] = rest;
  if (action === 'sample') return printSample(rest);
  if (action === 'dialect' && file !== undefined && rest.length === 1) return dialectCommand(flags, file);
  if (action === 'schema' && file === undefined) {
    console.log(JSON.stringify(configurationJsonSchema(), null, 2));
    return 0;
  }
  if (action !== 'check' || file === undefined || rest.length > 1) {
    throw new UsageError('config takes: schema, sample [NAME...], check FILE, or dialect FILE');
  }
  const text = await readText(file);
  const inText = findFaults(text);
  const faults =
    inText.length > 0 ? inText : [...(await findPictureFaults(text)), ...(await findAcquirerFileFaults(text, file))];
  const warnings = faults.length === 0 ? await holdWarnings(file) : [];
  if (flags.json) console.log(jsonText({ file, faults, ...(warnings.length === 0 ? {} : { warnings }) }));
  else if (faults.length === 0) {
    console.log(plainText(`${file} can be used`));
    for (const warning of warnings) console.error(plainText(`warning: ${warning}`));
  } else {
    for (const { line, column, path, message } of faults) {
      console.log(plainText(`${file}:${line}:${column}: ${path}: ${message}`));
    }
  }
  return faults.length === 0 ? 0 : faultyCode;
}

/** The configuration goes to standard output, so that it can be written to a file; the rest to standard error. */
function printSample(names: readonly string[]): number {
  const asked = names.length === 0 ? sampleNames : [...new Set(names.map(knownName))];
  if (!asked.some((name) => name !== 'OCTOPUS' && name !== 'CASH')) {
    throw new UsageError('config sample needs one of EDC, CUP, EPS and QR: a terminal has at least one acquirer');
  }
  const { configuration, examples } = sampleConfiguration(asked);
  console.log(JSON.stringify(configuration, null, 2));
  console.error(`These settings hold examples: ${examples.join(', ')}.`);
  if (asked.includes('QR')) console.error("The key of QR is no part of it: 'poid provision' stores it as credential.");
  return 0;
}

function knownName(written: string): SampleName {
  const known = sampleNames.find((name) => name === written);
  if (known) return known;
  const meant = nearestWord(written, sampleNames);
  throw new UsageError(
    `config sample takes ${sampleNames.join(', ')}${meant === undefined ? '' : `; did you mean ${meant}?`}`,
  );
}

/**
 * Which acquirers would take no payments with this configuration, because its own state directory has unsettled
 * payments of them. Empty if there is no journal that the caller can read, and while the terminal runs: then its status
 * and `poid doctor` report it.
 */
async function holdWarnings(file: string): Promise<readonly string[]> {
  const configuration = await loadConfiguration([file], {}, { keys: 'unread' });
  const { stateDir } = configuration;
  if (!existsSync(path.join(stateDir, 'journal.db'))) return [];
  try {
    return await withIdleJournal(stateDir, async (_lines, reading) => {
      if (!reading) return [];
      const { holds } = await findHolds(configuration, await AcquirersInUse.open(stateDir), reading);
      return holds.map(holdText);
    });
  } catch (error) {
    const isClosed = ['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '');
    if (!(error instanceof JournalError) && !isClosed) throw error;
    return [];
  }
}
