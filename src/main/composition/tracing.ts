import { inState } from '../../base/domain/written-files.ts';
import type { Configuration } from '../../config/configuration.ts';
import type { MonotonicClock } from '../../base/ports/clock.ts';
import type { Log } from '../../observability/log.ts';
import { LineTrace } from '../../observability/line-trace.ts';
import type { PartBoundary } from '../../observability/part-boundary.ts';
import { type AuditedTrace, TraceSocket } from '../../observability/trace-socket.ts';
import { KeptLines } from '../../operator/kept-lines.ts';
import type { LineMessageListener } from '../../payment/contracts/line-message.ts';
import type { Acquirer } from '../../payment/method/acquirer.ts';
import type { OpenParts } from './open-parts.ts';

const auditBytesMax = 262_144;

interface TracingParts {
  readonly boundary: PartBoundary;
  readonly clock: MonotonicClock;
  readonly log: Log;
}

export interface Tracing {
  /** Called with each message to or from a card host. Its errors are isolated. */
  readonly onMessage: LineMessageListener;
  /** Begins to accept requests for traces. If that fails, the terminal works without traces. */
  serve(acquirers: ReadonlyMap<string, Pick<Acquirer, 'address'>>, opened: OpenParts): Promise<void>;
}

/** Traces of the messages to and from card hosts. Nothing is recorded until root or the service's user requests it. */
export function makeTracing({ stateDir }: Configuration, { boundary, clock, log }: TracingParts): Tracing {
  const trace = new LineTrace(clock);
  const kept = new KeptLines(inState(stateDir, 'traces.jsonl'), auditBytesMax, clock);
  const audit = async (entry: AuditedTrace) => {
    const { state, acquirer: acquirerId, reason } = entry;
    log.info('trace', { state, ...(acquirerId ? { acquirerId } : {}), ...(reason ? { reason } : {}) });
    await kept.write(entry);
  };
  const onFailure = (error: unknown) => log.failure('trace', error);
  // After a failure the trace may be incomplete.
  boundary.onFailure('trace', () => trace.end('failure'));
  return {
    onMessage: (message) => boundary.notify('trace', () => trace.hear(message)),
    async serve(acquirers, opened) {
      const cardHosts = () => [...acquirers].flatMap(([id, { address }]) => (address?.line ? [id] : []));
      const options = { trace, acquirers: cardHosts, clock, audit, onFailure };
      const path = inState(stateDir, 'trace.sock');
      await boundary
        .within('trace', () => TraceSocket.open(path, options))
        .then((socket) => opened.add(socket), onFailure);
    },
  };
}
