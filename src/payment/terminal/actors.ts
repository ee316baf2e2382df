import type { CollectMode } from '../../base/domain/entry-mode.ts';
import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';
import { awaitScreen, endCollecting } from '../method/collecting.ts';
import type { CodeSession } from '../method/payment-method.ts';
import { withinMs } from '../../base/ports/pause.ts';
import { recordNow } from '../records/record-tree.ts';
import type { Answered, Asking, Collecting, TransactionActors } from '../transaction/machine.ts';
import { faultCode } from '../transaction/decide.ts';
import { knownEnd, reversalDue, slipEvents } from '../transaction/recover.ts';
import type { RunParts } from './parts.ts';
import type { Recovery } from './recovery.ts';
import type { Sessions } from './sessions.ts';
import type { OptionQuestions } from './option-questions.ts';

type ActorParts = Pick<RunParts, 'journal' | 'forwarder' | 'timeouts' | 'clock'>;

/** Implements the machine's actors for one transaction. */
export function transactionActors(
  id: TerminalTransactionId,
  sessions: Sessions,
  questions: OptionQuestions,
  parts: ActorParts,
  recovery: Recovery,
): TransactionActors {
  const { journal } = parts;
  const code = (): CodeSession => {
    const session = sessions.current?.code;
    if (!session) throw new Error('no code is shown by this method');
    return session;
  };
  const choosing = collectWhileChoosing(sessions, questions);
  return {
    keepAnswer: (answer) => questions.keep(answer),
    collect: async (mode, signal) =>
      mode === undefined ? choosing(signal) : collect(mode, sessions, questions, signal),
    ask: async (asking, signal) => ask(asking, sessions, signal),
    disarm: () => sessions.disarm(),
    askCode: async (asked) => {
      questions.fix();
      return sessions.askCode(asked);
    },
    awaitPayment: async (_nothing, signal) => code().awaitPayment(signal),
    withdraw: async () => code().withdraw(),
    authorize: async () => {
      questions.fix();
      return sessions.authorize();
    },
    completeCard: async () => {
      if (!sessions.current?.complete) throw new Error('this method has no card to complete');
      return sessions.current.complete();
    },
    reverse: () => reverse(id, parts, recovery),
    conclude: async (conclusion) => {
      const record = await recordNow(id, journal);
      // A commit that reported an error may still be on disk: then the journal decides.
      if (record.conclusion) return;
      const due = reversalDue(record, 'unwritten answer');
      const end = knownEnd(record, conclusion);
      const slip = sessions.order.printsReceipt ? slipEvents(record, end) : [];
      await journal.append(id, [...due, { kind: 'ended', ...end }, ...slip]);
    },
  };
}

/** While the merchant chooses, the default mode is armed. If its device fails, the merchant goes on choosing without it. */
function collectWhileChoosing(
  sessions: Sessions,
  questions: OptionQuestions,
): (signal: AbortSignal) => Promise<Collecting> {
  let isLost = false;
  return async (signal) => {
    const { defaultMode, modes } = sessions.order.collects;
    if (defaultMode === undefined || isLost) return awaitScreen(signal);
    const { mode } = sessions.at(defaultMode);
    const collected = await sessions.collect(defaultMode, signal).catch((error: unknown): Collecting => {
      isLost = true;
      const left = modes.filter((each) => sessions.deviceOf(each) !== mode.device);
      return left.length > 0 ? { kind: 'lost', modes: left } : deviceEnd(mode.device, error);
    });
    return collected.kind === 'collected' ? questions.afterPresenting(defaultMode, collected) : collected;
  };
}

async function collect(
  name: CollectMode,
  sessions: Sessions,
  questions: OptionQuestions,
  signal: AbortSignal,
): Promise<Collecting> {
  const { mode } = sessions.at(name);
  const collected = await sessions.collect(name, signal).catch((error: unknown) => deviceEnd(mode.device, error));
  return collected.kind === 'collected' ? questions.afterPresenting(name, collected) : collected;
}

async function ask({ mode: name, asks, again }: Asking, sessions: Sessions, signal: AbortSignal): Promise<Answered> {
  const { mode, session } = sessions.at(name);
  if (!session.ask) throw new Error(`${name} asks no questions`);
  return session.ask(asks, again, signal).catch((error: unknown) => deviceEnd(mode.questions?.[asks]?.device, error));
}

function deviceEnd(device = 'device', error: unknown): Extract<Answered, { kind: 'ended' }> {
  return endCollecting({ kind: 'device', device, code: faultCode(error) });
}

/** Gives the queued reversal its first attempt, for a limited time. */
async function reverse(id: TerminalTransactionId, parts: ActorParts, recovery: Recovery): Promise<void> {
  const { journal, forwarder, timeouts, clock } = parts;
  try {
    const record = await recordNow(id, journal);
    const due = reversalDue(record, 'unwritten answer');
    if (due.length > 0) await journal.append(id, due);
    if (record.intent) await withinMs(forwarder.flush(record.intent.acquirerId), timeouts.reversalWaitMs, clock);
  } catch (error) {
    recovery.later(id);
    throw error;
  }
}
