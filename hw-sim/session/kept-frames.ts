import { shownWhole } from '../wires/shown.ts';
import type { Wires } from '../wires/record.ts';
import type { Recording, RecordedFrame } from './recording.ts';

/** Limits of a recording, which keeps the newest frames; 2 MiB of bytes are 4 MiB of text. */
const limits = { frames: 5000, bytes: 2 * 1024 * 1024 };

/** The frames of a recording: the newest ones after `afterFrame`, and the lines of which earlier frames are omitted. */
export function keptFrames(
  wires: Wires,
  { afterFrame, beganMs }: { readonly afterFrame: number; readonly beganMs: number },
  { frames: framesMax, bytes: bytesMax } = limits,
): Pick<Recording, 'lines' | 'frames' | 'leftOff'> {
  const { lines } = wires;
  const protocols = new Map(lines.map(({ name, protocol }) => [name, protocol]));
  const all = wires.frames({ after: afterFrame });
  const lost = new Map(wires.linesWithLossSince(beganMs).map((name) => [name, 'are no longer kept, or were cleared']));
  const kept: RecordedFrame[] = [];
  let bytes = 0;
  for (const frame of all.toReversed()) {
    bytes += frame.payload.length;
    const protocol = protocols.get(frame.line);
    if (protocol === undefined) continue;
    if (kept.length >= framesMax || bytes > bytesMax) {
      lost.set(frame.line, `are left off: a recording has the newest ${framesMax} frames, ${bytesMax} bytes at most`);
      continue;
    }
    const { line, connection, direction, kind, length, summary, polling, bytes: text } = shownWhole(frame, protocol);
    const atMs = Math.round((frame.atMs - beganMs) * 10) / 10;
    const more = polling === undefined ? {} : { polling };
    kept.push({ atMs, line, connection, direction, kind, length, summary, ...more, bytes: text });
  }
  const leftOff = [...lost].map(([what, why]) => ({ what, why: `${what}: earlier frames ${why}` }));
  return { lines: [...lines], frames: kept.toReversed(), leftOff };
}
