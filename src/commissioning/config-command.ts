import { configurationSchema } from '../config/configuration.ts';
import { readJson } from '../config/json-file.ts';
import { resolveKeys } from '../config/keys.ts';
import { configurationJsonSchema, namesAt } from '../config/reference.ts';
import { nearestWord } from '../domain/nearest-word.ts';
import { UsageError } from '../usage-error.ts';
import type { CommissioningFlags } from './flags.ts';

const faultyCode = 1;

/**
 * `poid config schema` prints the JSON Schema of a configuration. `poid config check FILE` tells all that is wrong with
 * one, a line each, without a terminal and without its keys. Exit codes of the latter: 0 nothing is, 1 something.
 */
export async function configCommand(flags: CommissioningFlags, parameters: readonly string[]): Promise<number> {
  const [action, file, ...rest] = parameters;
  if (action === 'schema' && file === undefined) {
    console.log(JSON.stringify(configurationJsonSchema(), null, 2));
    return 0;
  }
  if (action !== 'check' || file === undefined || rest.length > 0) {
    throw new UsageError('config takes: schema, or check FILE');
  }
  const faults = await findFaults(file);
  if (flags.json) console.log(JSON.stringify({ file, faults }));
  else if (faults.length === 0) console.log(`${file} can be used`);
  else for (const { path, message } of faults) console.log(`${file}: ${path}: ${message}`);
  return faults.length === 0 ? 0 : faultyCode;
}

type Issue = NonNullable<ReturnType<typeof configurationSchema.safeParse>['error']>['issues'][number];

interface Fault {
  /** `acquirers.0.tid` */
  readonly path: string;
  readonly message: string;
}

async function findFaults(file: string): Promise<Fault[]> {
  const named = resolveKeys(await readJson(file), [file], { keys: 'unread' });
  const { error } = configurationSchema.safeParse(named);
  return (error?.issues ?? []).flatMap(faultsOf);
}

function faultsOf(issue: Issue): Fault[] {
  const { path, message } = issue;
  const place = (more: readonly PropertyKey[] = []) => [...path, ...more].map(String).join('.') || 'the top level';
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const meant = nearestWord(key, namesAt(path));
      return { path: place([key]), message: `is no setting${meant === undefined ? '' : `; did you mean ${meant}?`}` };
    });
  }
  return [{ path: place(), message: message.endsWith('received undefined') ? 'is missing' : message }];
}
