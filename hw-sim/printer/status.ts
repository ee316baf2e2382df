/** The printer's sensors. Any of the first three takes the printer off-line. */
export interface Condition {
  readonly paperOut: boolean;
  readonly coverOpen: boolean;
  readonly cutterError: boolean;
  readonly paperNearEnd: boolean;
}

export const allWell: Condition = { paperOut: false, coverOpen: false, cutterError: false, paperNearEnd: false };

export function isOffline(condition: Condition): boolean {
  return condition.paperOut || condition.coverOpen || condition.cutterError;
}

export type StatusRequest = 1 | 2 | 3 | 4;

/** One byte: the answer to DLE EOT n (TM-U220 manual p.54). Bits 1 and 4 are always set, 0 and 7 never. */
export function realTimeStatus(request: StatusRequest, condition: Condition): number {
  const fixed = 0x12;
  switch (request) {
    case 1:
      return fixed | (isOffline(condition) ? 0x08 : 0);
    case 2:
      return (
        fixed | (condition.coverOpen ? 0x04 : 0) | (condition.paperOut ? 0x20 : 0) | (condition.cutterError ? 0x40 : 0)
      );
    case 3:
      return fixed | (condition.cutterError ? 0x08 : 0);
    case 4:
      return fixed | (condition.paperNearEnd ? 0x0c : 0) | (condition.paperOut ? 0x60 : 0);
    default:
      return request satisfies never;
  }
}

/** Four bytes: the automatic status back (TM-T88III specification p.134). The last byte is reserved: 00 is assumed. */
export function automaticStatus(condition: Condition): Buffer {
  return Buffer.of(
    0x10 | (isOffline(condition) ? 0x08 : 0) | (condition.coverOpen ? 0x20 : 0),
    condition.cutterError ? 0x08 : 0,
    (condition.paperNearEnd ? 0x03 : 0) | (condition.paperOut ? 0x0c : 0),
    0x00,
  );
}

/**
 * Whether the mask of GS a includes a change: bit 1 on-line and off-line, bit 2 errors, bit 3 paper (bit 0, the drawer
 * switch, never changes here). The meaning of the bits is recalled.
 */
export function isReported(mask: number, before: Condition, after: Condition): boolean {
  const was = automaticStatus(before);
  const is = automaticStatus(after);
  return [0x02, 0x04, 0x08].some((bit, at) => (mask & bit) !== 0 && was[at] !== is[at]);
}
