/** Summary, the first byte of an answer's 82: Programmer's Manual D998200597, p.33. */
const done: ReadonlySet<number> = new Set([0x00, 0x40]);
const started: ReadonlySet<number> = new Set([0x01, 0x41]);

/** Whether the device has accepted the command, or carried it out. */
export function isTaken(summary: number): boolean {
  return done.has(summary) || started.has(summary);
}

export function isDone(summary: number): boolean {
  return done.has(summary);
}

export function isStarted(summary: number): boolean {
  return started.has(summary);
}

/** Details of an answer: MagTek_WebAPI/API_mmsParse.js, parseOpDetail. */
export const refusal = {
  noTransaction: '020304',
  cannotCancel: '020305',
  inProgress: '020308',
} as const;

/** Details of 0205 after the module byte, 01 (D100005000, Table 314). */
export const pinEnding = { done: '020101', timedOut: '020201', cancelled: '020203' } as const;

/** Details of 0101: Programmer's Manual D998200597, p.152; API_mmsParse.js. All others report progress. */
export const cardEvent = {
  collision: '010500',
  authorizationRequest: '080202',
  batchData: '080302',
} as const;
