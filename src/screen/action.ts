import * as z from 'zod';
import { accounts } from '../base/domain/account.ts';
import { type CollectMode, collectModes, type PaymentScheme, walletSchemes } from '../base/domain/payment-scheme.ts';
import { isSignature, pointsMax, type Signature, signatureGrid, strokesMax } from '../base/domain/signature.ts';
import type { ScreenAction, ScreenView } from '../payment/contracts/screen.ts';

/** Of an action: the longest is a signature. */
export const actionBytesMax = 12 * 1024;

const identifier = z.string('transaction must be a text').regex(/^[\w-]{1,64}$/, 'transaction must be an identifier');

/** At most twelve digits can be paid, and no currency has more than four decimals. */
const majorAmount = z
  .string('amount must be a text')
  .regex(/^\d{1,12}(?:\.\d{1,4})?$/, 'amount must be digits, with at most four decimals');

const signatureRule = `strokes must be at most ${strokesMax} arrays of x and y within ${signatureGrid.width} and ${signatureGrid.height}, with at most ${pointsMax} points`;

const kinds = [
  'cancel',
  'choose',
  'wallet',
  'account',
  'tip',
  'ownTip',
  'option',
  'tender',
  'sign',
  'signAgain',
  'acceptSignature',
  'signOnPaper',
] as const satisfies readonly ScreenAction['kind'][];

const action = z.discriminatedUnion(
  'kind',
  [
    form('cancel', {}),
    form('choose', { mode: z.string('mode must be a text') }),
    form('wallet', { scheme: z.string('scheme must be a text') }),
    form('account', { account: oneOf('account', accounts) }),
    form('tip', { amount: majorAmount }),
    form('ownTip', { amount: majorAmount }),
    form('option', {
      choice: z.string('choice must be a text').regex(/^[\w-]{1,64}$/, 'choice must be an identifier'),
    }),
    form('tender', { amount: majorAmount }),
    form('sign', { strokes: z.custom<Signature>(isSignature, signatureRule) }),
    form('signAgain', {}),
    form('acceptSignature', {}),
    form('signOnPaper', {}),
  ],
  { error: `kind must be one of ${kinds.join(', ')}` },
);

function form<const K extends ScreenAction['kind'], S extends z.ZodRawShape>(kind: K, shape: S) {
  const error = `${kind} has the fields ${['kind', 'transaction', ...Object.keys(shape)].join(', ')} and no other`;
  return z.strictObject({ kind: z.literal(kind), transaction: identifier, ...shape }, { error });
}

function oneOf<const T extends readonly string[]>(field: string, values: T) {
  return z.enum(values, { error: `${field} must be one of ${values.join(', ')}` });
}

/**
 * Parses an action of the page. A refusal gives the reason, and repeats nothing of the request. `shown`: the content of
 * the screen, which may be a payment method's own mode, or a wallet of the configuration.
 */
export function parseAction(
  text: string,
  { modes: shown = [], wallets = [] }: Pick<ScreenView, 'modes' | 'wallets'> = {},
): ScreenAction | { readonly refused: string } {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { refused: 'the body is not JSON' };
  }
  const parsed = action.safeParse(body);
  if (!parsed.success) return { refused: parsed.error.issues[0]?.message ?? 'no action' };
  const modes: readonly CollectMode[] = [...new Set([...collectModes, ...shown])];
  const schemes: readonly PaymentScheme[] = [...new Set([...walletSchemes, ...wallets])];
  if (parsed.data.kind === 'wallet' && !schemes.includes(parsed.data.scheme)) {
    return { refused: `scheme must be one of ${schemes.join(', ')}` };
  }
  const isUnknown = parsed.data.kind === 'choose' && !modes.includes(parsed.data.mode);
  return isUnknown ? { refused: `mode must be one of ${modes.join(', ')}` } : parsed.data;
}
