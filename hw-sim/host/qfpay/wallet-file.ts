import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { StartError } from '../../start-error.ts';
import { endingCalls, hostCurrencies, payTypeOfAll, usualWallets, type Wallet } from './wallet.ts';

/** `auth_code` has 128 characters at most. */
const digits = z.int().min(8).max(128);
const payType = z.string().regex(/^\d{6}$/, 'six digits');
const endedBy = z.array(z.enum(endingCalls)).min(1).default(['reversal']);

/** What a merchant's contract with this host says of a further wallet: the host's own form, not the terminal's. */
const wallet = z.strictObject({
  name: z.string().min(1).max(40),
  presented: z
    .strictObject({
      payType,
      payTag: z
        .string()
        .regex(/^[A-Z\d]{1,16}$/)
        .exactOptional(),
      emvco: z.boolean().default(false),
      expires: z.boolean().default(false),
      endedBy,
    })
    .exactOptional(),
  scanned: z
    .strictObject({
      payType,
      prefixes: z.array(z.string().regex(/^\d{1,16}$/, '1 to 16 digits')).min(1),
      digits: z.tuple([digits, digits]).refine(([fewest, most]) => fewest <= most, 'the fewest, then the most digits'),
      endedBy,
    })
    .refine(
      ({ prefixes, digits: [fewest] }) => prefixes.every(({ length }) => length < fewest),
      'prefixes shorter than codes',
    )
    .exactOptional(),
  currencies: z.array(z.enum(hostCurrencies)).min(1).default(['HKD']),
  refunds: z.boolean().default(true),
});

const code = z.string().regex(/^[A-Z][A-Z\d_]{1,15}$/, '2 to 16 capitals, digits or _');
const file = z
  .record(code, wallet)
  .refine((all) => Object.keys(all).length <= 32, 'at most 32 wallets')
  .refine((all) => Object.values(all).every(({ presented, scanned }) => presented ?? scanned), 'presented or scanned');

/** The further wallets of `--wallets FILE`. Rejects with StartError. */
export async function readWallets(path: string): Promise<readonly Wallet[]> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new StartError(2, `--wallets ${path} can't be read (${error.code}).`);
  });
  return parseWallets(text, `--wallets ${path}`);
}

/** Throws StartError. `from`: how the text is called in a sentence. */
export function parseWallets(text: string, from: string): readonly Wallet[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new StartError(2, `${from} is not JSON.`);
  }
  const { data, error } = file.safeParse(value);
  const [issue] = error?.issues ?? [];
  if (!data) throw new StartError(2, `${from} is wrong at ${issue?.path.join('.')}: ${issue?.message}.`);
  const further = Object.entries(data).map(([each, settings]) => walletOf(each, settings));
  refuseShared(further, from);
  return further;
}

function walletOf(ownCode: string, { scanned, ...rest }: z.infer<typeof wallet>): Wallet {
  if (!scanned) return { code: ownCode, ...rest };
  const { prefixes, digits: lengths, ...more } = scanned;
  return { code: ownCode, ...rest, scanned: { ...more, codes: { prefixes, digits: lengths } } };
}

/** A host knows an order's wallet by its pay type, and the wallet of a code by its prefix. */
function refuseShared(further: readonly Wallet[], from: string): void {
  const taken = new Set<string>([`pay type ${payTypeOfAll}`]);
  for (const each of [...usualWallets, ...further]) {
    const { presented, scanned } = each;
    const own = [
      `code ${each.code}`,
      ...(presented ? [`pay type ${[presented.payType, presented.payTag].join(' ').trim()}`] : []),
      ...(scanned ? [`pay type ${scanned.payType}`, ...scanned.codes.prefixes.map((some) => `prefix ${some}`)] : []),
    ];
    const shared = own.find((name) => taken.has(name));
    if (shared !== undefined)
      throw new StartError(2, `${from} is wrong at ${each.code}: another wallet has ${shared}.`);
    for (const name of own) taken.add(name);
  }
}
