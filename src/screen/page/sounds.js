// Short sounds, generated and not from a file: for an outcome, and for hints that the customer must not miss.
import { style } from './style.js';
/** @import { View } from './types.ts' */

/**
 * Frequency in Hz, start and length in seconds.
 * @type {Readonly<Record<'approved' | 'notApproved' | 'attention', readonly (readonly [number, number, number])[]>>}
 */
const tunes = {
  approved: [
    [880, 0, 0.12],
    [1319, 0.13, 0.22],
  ],
  notApproved: [
    [392, 0, 0.16],
    [262, 0.2, 0.3],
  ],
  attention: [
    [1047, 0, 0.1],
    [1047, 0.16, 0.1],
    [1047, 0.32, 0.1],
  ],
};

/**
 * Hints to which the customer must react at once.
 * @type {ReadonlySet<string | undefined>}
 */
const urgent = new Set(['sameOctopusCard', 'removeCard', 'takeCash']);

/** @typedef {{ scene: View['scene'], hint?: View['hint'] | undefined, cardInside?: true | undefined }} Sounding */

/** @type {ReadonlySet<string | undefined>} */
const asksToSign = new Set(['sign', 'checkSignature']);

/** @type {AudioContext | undefined} */
let context;

/**
 * The sound of a view that comes after another; undefined for none. Pure.
 * @type {(view: Sounding, before?: Partial<Sounding>) => keyof typeof tunes | undefined}
 */
export function soundOf({ scene, hint, cardInside }, before = {}) {
  /** @type {(each: Partial<Sounding>) => boolean} */
  const isUrgent = (each) => urgent.has(each.hint) || each.cardInside === true;
  if (scene !== before.scene) {
    // After a signature the approval is shown again, without a sound.
    if (scene === 'sign' || scene === 'approved') return asksToSign.has(before.scene) ? undefined : 'approved';
    if (scene === 'declined' || scene === 'error') return 'notApproved';
  }
  return isUrgent({ hint, cardInside }) && !isUrgent(before) ? 'attention' : undefined;
}

/**
 * A browser that allows no sound without a touch stays silent.
 * @type {(name: keyof typeof tunes | undefined) => void}
 */
export function sound(name) {
  if (name === undefined || style.sounds !== true) return;
  try {
    context ??= new AudioContext();
    void context.resume();
    for (const [frequency, start, length] of tunes[name]) play(context, frequency, context.currentTime + start, length);
  } catch {
    // No sound device.
  }
}

/** @type {(context: AudioContext, frequency: number, at: number, length: number) => void} */
function play(context, frequency, at, length) {
  const tone = new OscillatorNode(context, { frequency, type: 'triangle' });
  const volume = new GainNode(context, { gain: 0 });
  // Without a slope at both ends the speaker clicks.
  volume.gain.setValueAtTime(0, at);
  volume.gain.linearRampToValueAtTime(0.5, at + 0.01);
  volume.gain.linearRampToValueAtTime(0, at + length);
  tone.connect(volume).connect(context.destination);
  tone.start(at);
  tone.stop(at + length);
}
