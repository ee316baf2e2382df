/**
 * Names of the data objects that this terminal handles: EMV 4.3 Book 3 Annex A; EMV Contactless Book C; tags of DFxx
 * and FFxx are ID TECH's (NEO 2 Interface Developer's Guide 80139403-002, p.185-233).
 */
export const tagNames = {
  '4F': 'Application Identifier (ADF name)',
  '50': 'Application Label',
  '56': 'Track 1 Data',
  '57': 'Track 2 Equivalent Data',
  '5A': 'Application PAN',
  '5F20': 'Cardholder Name',
  '5F24': 'Application Expiration Date',
  '5F2A': 'Transaction Currency Code',
  '5F34': 'PAN Sequence Number',
  '71': 'Issuer Script Template 1',
  '72': 'Issuer Script Template 2',
  '82': 'Application Interchange Profile',
  '84': 'Dedicated File Name',
  '8A': 'Authorisation Response Code',
  '91': 'Issuer Authentication Data',
  '95': 'Terminal Verification Results',
  '99': 'Transaction PIN Data',
  '9A': 'Transaction Date',
  '9B': 'Transaction Status Information',
  '9C': 'Transaction Type',
  '9F02': 'Amount, Authorised',
  '9F03': 'Amount, Other',
  '9F09': 'Application Version Number',
  '9F10': 'Issuer Application Data',
  '9F12': 'Application Preferred Name',
  '9F1A': 'Terminal Country Code',
  '9F1E': 'Interface Device Serial Number',
  '9F1F': 'Track 1 Discretionary Data',
  '9F20': 'Track 2 Discretionary Data',
  '9F26': 'Application Cryptogram',
  '9F27': 'Cryptogram Information Data',
  '9F33': 'Terminal Capabilities',
  '9F34': 'CVM Results',
  '9F35': 'Terminal Type',
  '9F36': 'Application Transaction Counter',
  '9F37': 'Unpredictable Number',
  '9F39': 'POS Entry Mode',
  '9F41': 'Transaction Sequence Counter',
  '9F63': 'Product Identification Information',
  '9F6B': 'Track 2 Data of magnetic-stripe mode',
  '9F6E': 'Form Factor Indicator, Third Party Data',
  '9F7C': 'Customer Exclusive Data',
  DF52: 'Transaction CVM',
  DFEE12: 'Key Serial Number',
  DFEE23: 'Magnetic Stripe Data',
  DFEF17: 'Track 1',
  DFEF18: 'Track 2',
  DFEF37: 'Interface Selection',
  FFEE13: 'Track 1',
  FFEE14: 'Track 2',
  FFEE1F: 'Contactless Error',
} as const satisfies Record<string, string>;

export type KnownTag = keyof typeof tagNames;

/**
 * Account data and sensitive authentication data (PCI DSS v4, 3.3.1 and 3.5.1): in the clear, they must not leave a
 * reader, nor enter a journal, a log or an answer.
 */
export const sensitiveTags: ReadonlySet<string> = new Set<KnownTag>([
  '56',
  '57',
  '5A',
  '5F20',
  '99',
  '9F1F',
  '9F20',
  '9F6B',
  'DFEE23',
  'DFEF17',
  'DFEF18',
  'FFEE13',
  'FFEE14',
]);
