import { readFile } from 'node:fs/promises';
import { configurationSchema } from '../config/configuration.ts';
import { findUnsettable } from '../config/settable.ts';
import { keysIn, parseDocument } from '../fleet/documents/documents.ts';
import { canonicalKey } from '../fleet/documents/fleet-keys.ts';
import { signPayload, type Signed } from '../fleet/documents/signed.ts';
import { jsonText } from '../base/standard-output.ts';
import { UsageError } from '../base/usage-error.ts';
import { CommissioningError } from './commissioning-error.ts';
import type { CommissioningFlags } from './flags.ts';

/**
 * `poid fleet sign FILE --key PEM`: prints the signature of a document, for the user property `signature`. The file is
 * what is published, byte for byte. A document that every terminal would refuse is not signed.
 */
export async function fleetSignCommand(flags: CommissioningFlags, [file = '']: readonly string[]): Promise<number> {
  if (flags.key === undefined) throw new UsageError('fleet sign takes --key FILE');
  const payload = await readFile(file);
  const document = parseDocument(payload);
  if (typeof document === 'string') throw new CommissioningError(`${file}: ${document}`);
  const fault = document.kind === 'configuration' ? faultOf(document.configuration) : undefined;
  if (fault !== undefined) throw new CommissioningError(`${file}: configuration: ${fault}`);
  const signed = signWith(payload, await readFile(flags.key, 'utf8'), flags.key);
  const named = document.kind === 'configuration' ? keysIn(document.configuration) : undefined;
  if (named && !named.map(canonicalKey).includes(signed.publicKey))
    throw new CommissioningError(
      `${file}: configuration: fleet.publicKeys drops the key that signs it: sign with one that stays`,
    );
  console.log(flags.json ? jsonText({ ...signed, kind: document.kind }) : signed.signature);
  return 0;
}

function signWith(payload: Uint8Array, pem: string, file: string): Signed {
  try {
    return signPayload(payload, pem);
  } catch (error) {
    throw new CommissioningError(`${file} can't sign: ${(error as Error).message}`);
  }
}

/** The faults that can be found without the terminal's own settings. Keys are given by name. */
function faultOf(configuration: Readonly<Record<string, unknown>>): string | undefined {
  const unsettable = findUnsettable(configuration);
  if (unsettable !== undefined) return unsettable;
  // To the schema, a key that is only named is any text.
  const named = JSON.parse(JSON.stringify(configuration), (name, value: unknown) =>
    name === 'clientKey' ? 'named' : value,
  ) as object;
  const { error } = configurationSchema.safeParse(named);
  const issue = error?.issues.find(({ path: [part], message }) => {
    return Object.hasOwn(named, String(part)) && !message.endsWith('received undefined');
  });
  return issue && `${issue.path.join('.')}: ${issue.message}`;
}
