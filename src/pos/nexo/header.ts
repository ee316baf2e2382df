import * as z from 'zod';

/** Categories of nexo Retailer 3.0 that a till may send. */
export const categories = [
  'Abort',
  'Admin',
  'BalanceInquiry',
  'Batch',
  'CardAcquisition',
  'CardReaderAPDU',
  'CardReaderInit',
  'CardReaderPowerOff',
  'Diagnosis',
  'Display',
  'EnableService',
  'GetTotals',
  'Input',
  'Login',
  'Logout',
  'Loyalty',
  'PIN',
  'Payment',
  'Print',
  'Reconciliation',
  'Reversal',
  'Sound',
  'StoredValue',
  'TransactionStatus',
  'Transmit',
] as const;
export type Category = (typeof categories)[number];

/** Text that is never empty, without control characters. */
export const nexoText = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must have no control characters');

/**
 * ServiceID has at most ten characters in the standard, and longer ones are in use. Further fields are accepted, and
 * have no effect.
 */
export const messageHeader = z.looseObject({
  ProtocolVersion: nexoText(16).optional(),
  MessageClass: z.enum(['Service', 'Device']),
  MessageCategory: z.enum(categories),
  MessageType: z.literal('Request'),
  ServiceID: nexoText(64),
  DeviceID: nexoText(64).optional(),
  SaleID: nexoText(128),
  POIID: nexoText(128),
});

export type MessageHeader = z.infer<typeof messageHeader>;

const version = '3.0';

/** The fields by which a header is known: of two that must be the same. */
const naming = [
  'ProtocolVersion',
  'MessageClass',
  'MessageCategory',
  'MessageType',
  'ServiceID',
  'DeviceID',
  'SaleID',
  'POIID',
] as const;

export function isSameHeader(one: MessageHeader, other: MessageHeader): boolean {
  return naming.every((name) => one[name] === other[name]);
}

export function headerOfAnswer(asked: MessageHeader) {
  const { ProtocolVersion = version, MessageClass, MessageCategory, ServiceID, DeviceID, SaleID, POIID } = asked;
  return {
    ProtocolVersion,
    MessageClass,
    MessageCategory,
    MessageType: 'Response',
    ServiceID,
    ...(DeviceID === undefined ? {} : { DeviceID }),
    SaleID,
    POIID,
  };
}

/** The header of the terminal's own event. A header that can't be read lacks what it may lack. */
export function headerOfEvent(asked: Partial<MessageHeader>, poiId: string, deviceId: string) {
  return {
    ProtocolVersion: version,
    MessageClass: 'Event',
    MessageCategory: 'Event',
    MessageType: 'Notification',
    DeviceID: deviceId,
    SaleID: asked.SaleID ?? 'unknown',
    POIID: poiId,
  };
}
