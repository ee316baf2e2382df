/** What a terminal does within this, it does in time: an emulated processor is slow, and others use it. */
const patienceMs = 480_000;
/** A look costs the guest time that what is looked at needs. */
const lookMs = 500;
export const patience = { ms: patienceMs, lookMs } as const;
