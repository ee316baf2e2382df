/** ISO 8583:1987, names of the fields in this dialect. */
export const fieldNames: Readonly<Record<number, string>> = {
  2: 'card number',
  3: 'processing code',
  4: 'amount',
  7: 'transmission date and time',
  11: 'STAN',
  12: 'local time',
  13: 'local date',
  14: 'expiry date',
  22: 'POS entry mode',
  23: 'card sequence number',
  24: 'NII',
  25: 'POS condition code',
  35: 'track 2',
  37: 'RRN',
  38: 'approval code',
  39: 'response code',
  41: 'terminal id',
  42: 'merchant id',
  48: 'encrypted card data',
  49: 'currency',
  52: 'PIN block',
  53: 'security control',
  54: 'additional amount',
  55: 'EMV data',
  60: 'private: batch, original message or amount',
  61: 'private',
  62: 'private: invoice number',
  63: 'private: totals',
  64: 'MAC',
};

export const messageTypes: Readonly<Record<string, string>> = {
  '0100': 'authorization request',
  '0110': 'authorization answer',
  '0200': 'financial request',
  '0210': 'financial answer',
  '0220': 'advice',
  '0221': 'advice, repeated',
  '0230': 'advice answer',
  '0320': 'batch upload',
  '0321': 'batch upload, repeated',
  '0330': 'batch upload answer',
  '0400': 'reversal',
  '0401': 'reversal, repeated',
  '0410': 'reversal answer',
  '0500': 'settlement',
  '0501': 'settlement, repeated',
  '0510': 'settlement answer',
  '0800': 'network management',
  '0810': 'network management answer',
};

/** First two digits of field 3. */
export const processingCodes: Readonly<Record<string, string>> = {
  '00': 'purchase',
  '02': 'void or adjustment',
  '09': 'purchase with cash',
  '20': 'refund',
  '22': 'void of a refund',
  '92': 'settlement',
  '96': 'end of batch upload',
  '99': 'echo',
};

/** Third and fourth digit of field 3 in an EPS sale. */
export const accounts: Readonly<Record<string, string>> = { '10': 'savings', '20': 'current' };

export const totalNames = ['sales', 'refunds', 'debit sales', 'debit refunds', 'auth sales', 'auth refunds'] as const;
