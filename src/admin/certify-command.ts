import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { plainText } from '../base/domain/plain-text.ts';
import { jsonText } from '../base/standard-output.ts';
import { UsageError } from '../base/usage-error.ts';
import { presentPlaces, type Places } from '../config/places.ts';
import { readSerialNumber } from '../config/serial-number.ts';
import { currentVersion } from '../observability/version.ts';
import type { Identity } from '../pos/client/client.ts';
import { hashOf, recordAction, whoActs } from './audit.ts';
import { type CaseBench, checkAmounts, runCase } from './certify/run-case.ts';
import { type CaseResult, type Evidence, evidenceSchema, verdictOf } from './certify/evidence.ts';
import { evidencePage } from './certify/evidence-page.ts';
import { type Case, readScript, type Script } from './certify/script.ts';
import { CommissioningError } from './commissioning-error.ts';
import { replaceFile } from './durable-file.ts';
import type { CommissioningFlags } from './flags.ts';
import { Till, textOf, type TillFlags } from './shell/till.ts';
import { TillError } from './shell/till-error.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * `poid certify SCRIPT`: runs an acquirer's list of cases, and writes the evidence. Exit codes: 0 each case has passed,
 * 1 one has failed or was not run.
 */
export async function certifyCommand(flags: CommissioningFlags, [file]: readonly string[]): Promise<number> {
  // The parser has checked the flags by the table of commands, which includes those of a POS.
  return certify(flags as unknown as TillFlags, file ?? '').catch((error: unknown) => {
    throw error instanceof TillError ? new CommissioningError(error.message) : error;
  });
}

async function certify(flags: TillFlags, file: string): Promise<number> {
  const { script, text } = await readScript(file);
  checkAmounts(script);
  const asks = flags['yes'] === undefined;
  if (asks && !process.stdin.isTTY) throw new UsageError('certify asks before each case: at a terminal, or with --yes');
  const pos = textOf(flags, 'pos') ?? script.posId ?? process.env['POID_POS'] ?? 'CERTIFY';
  const till = new Till({ ...flags, pos });
  const where = { config: textOf(flags, 'config'), 'state-dir': textOf(flags, 'state-dir') };
  const places = await presentPlaces(where);
  const directory = textOf(flags, 'out') ?? 'certification';
  const hash = hashOf(text);
  const kept = await earlierResults(script, { directory, hash, from: textOf(flags, 'from') });
  await till.reach();
  const { messageId: runId } = till.identity();
  const serialNumber = readSerialNumber(places) ?? '';
  await recordAction(places, { action: 'certify', serialNumber, acquirer: script.acquirer, script: hash }, new Date());
  const head = { name: script.name, acquirer: script.acquirer, script: hash, software: currentVersion() };
  const run = new Run({ ...head, serialNumber, runId, posId: till.posId }, { script, directory, kept });
  await run.write();
  const evidence = await run.through({ till, flags, script, ...placesAndUser(places), runId }, asks);
  process.stdout.write(`${flags['json'] ? jsonText(evidence) : plainSummary(evidence, directory)}\n`);
  return evidence.verdict === 'PASS' ? 0 : 1;
}

function placesAndUser({ stateDir }: Places): Pick<CaseBench, 'stateDir' | 'who'> {
  return { stateDir, who: whoActs() };
}

type Head = Omit<Evidence, 'verdict' | 'cases' | 'results'>;

interface Kept {
  readonly script: Script;
  readonly directory: string;
  /** The results of the cases before the first one of this run. */
  readonly kept: readonly CaseResult[];
}

/** One run of a script. The evidence is written after each case. */
class Run {
  readonly #head: Head;
  readonly #script: Script;
  readonly #directory: string;
  readonly #results: CaseResult[];
  readonly #cases: readonly Case[];
  readonly #left = new AbortController();
  #isStopped = false;
  #underWay: Identity | undefined;

  constructor(head: Head, { script, directory, kept }: Kept) {
    this.#head = head;
    this.#script = script;
    this.#directory = directory;
    this.#results = [...kept];
    this.#cases = script.cases.slice(kept.length);
  }

  get evidence(): Evidence {
    const { length: cases } = this.#script.cases;
    return { ...this.#head, verdict: verdictOf(cases, this.#results), cases, results: this.#results };
  }

  async through(bench: Omit<CaseBench, 'results' | 'onBegun' | 'left'>, asks: boolean): Promise<Evidence> {
    const stop = () => this.#stop(bench.till);
    for (const signal of signals) process.on(signal, stop);
    try {
      for (const each of this.#cases) {
        say(`\n[${this.#results.length + 1}/${this.#script.cases.length}] ${each.id} ${each.title}`);
        if (each.person !== undefined) say(`  ${each.person}`);
        if (asks && !(await isReady())) this.#isStopped = true;
        if (!this.#isStopped) await this.#conduct(each, bench);
        if (this.#isStopped) break;
      }
    } finally {
      for (const signal of signals) process.off(signal, stop);
    }
    const next = this.#script.cases[this.#results.length];
    if (next) say(`poid: stopped; --from ${next.id} continues`);
    return this.evidence;
  }

  async write(): Promise<void> {
    const { evidence } = this;
    const own = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0, mode: 0o600 };
    const files = {
      'evidence.json': `${JSON.stringify(evidence, null, 2)}\n`,
      'evidence.html': evidencePage(evidence),
    };
    for (const [name, text] of Object.entries(files)) await replaceFile(path.join(this.#directory, name), text, own);
  }

  async #conduct(each: Case, bench: Omit<CaseBench, 'results' | 'onBegun' | 'left'>): Promise<void> {
    const onBegun = (identity: Identity) => (this.#underWay = identity);
    const { signal: left } = this.#left;
    const { result, isKnown } = await runCase(each, { ...bench, results: this.#results, onBegun, left });
    this.#underWay = undefined;
    this.#results.push(result);
    await this.write();
    say([`  ${result.verdict}`, ...result.reasons.map((reason) => `    ${reason}`)].join('\n'));
    if (isKnown) return;
    say(`poid: do not go on before its outcome is known: poid enquire ${result.messageId}${bench.till.sameFlags}`);
    this.#isStopped = true;
  }

  /** Cancels the current case and waits for its outcome. A second call ends the wait. */
  #stop(till: Till): void {
    if (this.#isStopped) return this.#left.abort();
    this.#isStopped = true;
    const identity = this.#underWay;
    if (!identity) return;
    say('poid: cancelling; once more leaves before the outcome is known');
    void till
      .client()
      .client.cancel(identity)
      .catch((error: unknown) => say(`poid: the cancel got no answer: ${(error as Error).message}`));
  }
}

/**
 * The results of an earlier run of the same script before the case `from`. A new run begins without results, in a
 * directory without evidence.
 */
async function earlierResults(
  { cases }: Script,
  { directory, hash, from }: { readonly directory: string; readonly hash: string; readonly from: string | undefined },
): Promise<readonly CaseResult[]> {
  const text = await readFile(path.join(directory, 'evidence.json'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (from === undefined) {
    if (text !== undefined)
      throw new CommissioningError(
        `${directory} has the evidence of an earlier run: continue it by --from, or name another by --out`,
      );
    await mkdir(directory, { recursive: true, mode: 0o700 });
    return [];
  }
  const at = cases.findIndex(({ id }) => id === from);
  if (at < 0) throw new UsageError(`--from takes a case of the script: ${cases.map(({ id }) => id).join(', ')}`);
  const evidence = text === undefined ? undefined : parseEvidence(text);
  if (evidence?.script !== hash)
    throw new CommissioningError(`${directory} has no evidence of this script, which --from could continue`);
  const kept = evidence.results.slice(0, at);
  if (kept.length === at && kept.every(({ id }, place) => id === cases[place]?.id)) return kept;
  throw new CommissioningError(
    `the cases before ${from} were not run: the first without a result is ${cases[kept.length]?.id ?? from}`,
  );
}

function parseEvidence(text: string): Evidence | undefined {
  try {
    return evidenceSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Asks the person whether to run this case. */
async function isReady(): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const ended = once(lines, 'close').then(() => 'q');
  lines.once('SIGINT', () => lines.close());
  const line = await Promise.race([
    new Promise<string>((resolve) => lines.question('  Enter begins it, q stops: ', resolve)),
    ended,
  ]);
  lines.close();
  return line.trim().toLowerCase() !== 'q';
}

function plainSummary({ verdict, results, cases }: Evidence, directory: string): string {
  const rows = results.map((each) => `${each.verdict}  ${each.id}  ${each.title}`);
  const all = `${verdict}  ${results.filter((each) => each.verdict === 'PASS').length} of ${cases} cases passed: ${directory}/evidence.html`;
  return [...rows, all].map(plainText).join('\n');
}

function say(text: string): void {
  process.stderr.write(`${text.split('\n').map(plainText).join('\n')}\n`);
}
