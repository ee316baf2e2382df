import type { ClockState } from '../domain/clock-doubt.ts';
import type { DeskNotice } from '../ports/desk.ts';
import type { DeviceState } from '../ports/device.ts';

const ofReader = { ready: [], absent: ['readerAbsent'], connecting: ['readerConnecting'] } as const satisfies Record<
  DeviceState,
  readonly DeskNotice[]
>;

const ofClock = {
  ok: [],
  unknown: [],
  unsynchronised: ['clockUnsynchronised'],
  beforeBuild: ['clockWrong'],
} as const satisfies Record<ClockState, readonly DeskNotice[]>;

/** Notices for the merchant on an idle screen. */
export function noticesOf(
  reader: { readonly state: DeviceState },
  clock: { readonly state: ClockState },
): readonly DeskNotice[] {
  return [...ofReader[reader.state], ...ofClock[clock.state]];
}
