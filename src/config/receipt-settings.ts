import * as z from 'zod';
import { receiptLanguages } from '../base/domain/receipt-language.ts';
import { isOwnPosId } from '../base/domain/identifiers.ts';
import { qrNames, receiptSections, requiredSections, unknownNames } from '../receipt/layout.ts';

const lines = z.array(z.string().max(200)).max(20).default([]);
const day = z.iso.date().optional();

const layout = z.strictObject({
  sections: z
    .array(z.enum(receiptSections))
    .refine((sections) => new Set(sections).size === sections.length, 'each at most once')
    .refine(
      (sections) => requiredSections.every((each) => sections.includes(each)),
      `must have ${requiredSections.join(', ')}`,
    )
    .default([...receiptSections])
    .describe('parts of a receipt from top to bottom'),
  promotion: z
    .strictObject({ lines, from: day, until: day })
    .prefault({})
    .describe('below an approved payment, on the customer’s copy, from that day until that day'),
  qr: z
    .string()
    .max(512)
    .refine((text) => unknownNames(text).length === 0, `has no names but {${qrNames.join('}, {')}}`)
    .default('')
    .describe('text of a QR code below an approved payment, on the customer’s copy'),
  footer: lines.describe('at the end of the customer’s copy'),
});

/** Who prints receipts, in which language, and what is on them besides the payment. */
export const receiptSettings = z.strictObject({
  printedBy: z.enum(['terminal', 'pos']).default('terminal').describe('pos: answers carry transactionPrintData'),
  printedByPosId: z
    .record(z.string(), z.enum(['terminal', 'pos']))
    .superRefine((own, context) => {
      const message = 'is a name that is reserved for the terminal';
      for (const name of Object.keys(own).filter(isOwnPosId))
        context.addIssue({ code: 'custom', path: [name], message });
    })
    .default({}),
  merchantCopy: z
    .enum(['always', 'signature', 'never'])
    .default('signature')
    .describe('signature: if the customer must sign'),
  signature: z
    .enum(['paper', 'screen'])
    .default('paper')
    .describe('where a customer who must sign does: on the slip, or on the screen'),
  language: z.enum(receiptLanguages).default('en').describe('language of labels and outcomes'),
  charset: z.enum(['bitmap', 'big5', 'gb18030']).default('bitmap').describe('how Chinese is printed'),
  layout: layout.prefault({}),
});
