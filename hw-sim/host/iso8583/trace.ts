import type { Message } from './message.ts';

/** The identity of one request of one terminal. */
export interface Trace {
  /** Field 11, six digits. */
  readonly stan: string;
  readonly tid: string;
  readonly mid: string;
  /** Field 24, three digits. */
  readonly nii: string;
  /** Field 62; '' where the message has none. */
  readonly invoice: string;
}

export function traceOf({ fields }: Message): Trace {
  const text = (field: number): string => fields.get(field) ?? '';
  return { stan: text(11), tid: text(41), mid: text(42), nii: text(24), invoice: text(62) };
}

/** Key of the combination that must be unique in a batch: terminal, network, trace number. */
export function traceKey({ tid, nii, stan }: Pick<Trace, 'tid' | 'nii' | 'stan'>): string {
  return `${tid} ${nii} ${stan}`;
}
