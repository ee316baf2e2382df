import type { PresentStatus } from '../../payment/terminal/answers.ts';

const statuses: Readonly<Record<PresentStatus, true>> = {
  APPROVED: true,
  DECLINED: true,
  ERROR: true,
  VOIDED: true,
  RELEASED: true,
  COMPLETED: true,
  PARTIALLY_REFUNDED: true,
  REFUNDED: true,
  ADJUSTED: true,
  REVERSED: true,
};

/** Every tranStatus of an enquiry, and each by which a list can be asked for. */
export const presentStatuses = Object.keys(statuses) as PresentStatus[];
