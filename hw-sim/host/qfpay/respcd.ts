/** The published values of `respcd` (QFPay, transaction status codes), each in a few words. */
export const respcds: ReadonlyMap<string, string> = new Map([
  ['0000', 'success'],
  ['1100', 'under maintenance'],
  ['1101', 'reversal error'],
  ['1102', 'duplicate request'],
  ['1103', 'request format error'],
  ['1104', 'request parameter error'],
  ['1105', 'device not activated'],
  ['1106', 'invalid device'],
  ['1107', 'device not allowed'],
  ['1108', 'signature error'],
  ['1125', 'refunded already'],
  ['1136', 'no such transaction, or nothing to be done with it'],
  ['1142', 'order closed already'],
  ['1143', 'not paid yet, the password is being entered'],
  ['1145', 'processing'],
  ['1147', 'WeChat Pay error'],
  ['1150', 'billing by T0 knows no cancelling'],
  ['1155', 'refund denied'],
  ['1181', 'order expired'],
  ['1201', 'insufficient balance'],
  ['1202', 'payment code wrong or expired'],
  ['1203', 'merchant account error'],
  ['1204', 'bank error'],
  ['1205', 'transaction failed'],
  ['1212', 'show the UnionPay overseas code'],
  ['1241', 'no such store'],
  ['1242', 'store not set up for this'],
  ['1243', 'store disabled'],
  ['1250', 'transaction forbidden'],
  ['1251', 'store wrongly set up'],
  ['1252', 'system error'],
  ['1254', 'a problem is being worked on'],
  ['1260', 'order paid already'],
  ['1261', 'order not paid'],
  ['1262', 'order refunded'],
  ['1263', 'order cancelled'],
  ['1264', 'order closed'],
  ['1265', 'cannot be refunded, for its hour or its promotion'],
  ['1266', 'wrong amount'],
  ['1267', 'order does not match'],
  ['1268', 'no such order'],
  ['1269', 'unsettled amount of the day is below the refund'],
  ['1270', 'no partial refunds in this currency'],
  ['1271', 'no partial refunds of this transaction'],
  ['1272', 'more than can be refunded'],
  ['1294', 'prohibited by the bank'],
  ['1295', 'waiting for the network'],
  ['1296', 'waiting for the network, try again later'],
  ['1297', 'bank busy'],
  ['1298', 'waiting for the network, do not pay again'],
  ['2005', 'payment code wrong or expired, start again'],
  ['2011', 'serial number repeats'],
]);

/** The code of a customer's refusal. Assumed: no published code means exactly that. */
export const refusedByCustomer = '1205';

/** Codes that leave open whether money moved: they can't be used to decline. */
const undecided: ReadonlySet<string> = new Set(['0000', '1143', '1145', '1295', '1296', '1298']);

/** Four digits that decline. Unpublished codes are allowed: a terminal must cope with them. */
export function declines(respcd: string): boolean {
  return /^\d{4}$/.test(respcd) && !undecided.has(respcd);
}
