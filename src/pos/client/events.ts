import { platformTimers } from '../../base/domain/long-timeout.ts';

export interface TillEvent {
  /** 'state', 'receipt', or 'reset': missed events can no longer be sent. */
  readonly event: string;
  readonly data: Readonly<Record<string, string>>;
}
/** Limit of one event, which has a few lines. */
const charactersMax = 64 * 1024;
type Headers = Readonly<Record<string, string>>;

/** Reads server-sent events, and continues after the last one if the connection breaks. Ends with `signal`. */
export async function* followEvents(
  open: (headers: Headers) => Promise<Response>,
  pauseMs: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<TillEvent> {
  let last: Headers = {};
  const isEnded = () => signal?.aborted === true;
  while (!isEnded()) {
    try {
      const { ok, body } = await open(last);
      const [reader, decoder] = [ok ? body?.getReader() : undefined, new TextDecoder()];
      let text = '';
      for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
        const blocks = (text + decoder.decode(read.value, { stream: true })).split('\n\n');
        text = blocks.pop() ?? '';
        if (text.length > charactersMax) {
          await reader?.cancel();
          break;
        }
        for (const block of blocks) {
          const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1];
          const [id, data] = [field('id'), field('data')];
          if (id !== undefined) last = { 'last-event-id': id };
          if (data !== undefined) yield { event: field('event') ?? 'message', data: JSON.parse(data) };
        }
      }
    } catch {
      // It is opened again below, unless the till has ended it.
    }
    if (!isEnded()) await pause(pauseMs, signal);
  }
}

export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      platformTimers.clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = platformTimers.setTimeout(end, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
}
