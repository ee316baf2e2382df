import { constants, open } from 'node:fs/promises';
import type { WalletProfile } from '../domain/wallet-profile.ts';

/** The screen sends each with every page, and decodes it: no phone company's logo needs more. */
const bytesMax = 65_536;
const [dotsMin, dotsMax] = [16, 512] as const;

/** The signature of a PNG, and the head of its first chunk, which has the size (PNG, 5.2 and 11.2.2). */
const opening = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

/**
 * The logos of wallets that are named in the configuration, by code. One that can't be used is left out, and `onFailure`
 * gets the reason: the wallet is shown by its name.
 */
export async function readWalletLogos(
  profiles: readonly WalletProfile[],
  onFailure: (error: Error) => void,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const logos = new Map<string, Uint8Array>();
  for (const { scheme, logo } of profiles) {
    if (logo === undefined) continue;
    try {
      logos.set(scheme, await readPng(logo));
    } catch (error) {
      onFailure(new Error(`the logo of ${scheme} is left out: ${(error as Error).message}`));
    }
  }
  return logos;
}

async function readPng(path: string): Promise<Uint8Array> {
  // O_NONBLOCK: opening a FIFO would otherwise wait for a writer.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const known = await file.stat();
    if (!known.isFile()) throw new Error('it is no file');
    if (known.size > bytesMax) throw new Error(`it has ${known.size} bytes, at most ${bytesMax} are allowed`);
    const bytes = await file.readFile();
    await checkPng(bytes);
    return bytes;
  } finally {
    await file.close();
  }
}

/** Throws for what a browser would not draw as it is meant. */
async function checkPng(bytes: Buffer): Promise<void> {
  if (bytes.length < 33 || !bytes.subarray(0, opening.length).equals(opening)) throw new Error('it is no PNG');
  // Before decoding: a small file can contain a picture that exhausts the memory.
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  if (Math.min(width, height) < dotsMin || Math.max(width, height) > dotsMax) {
    throw new Error(`it has ${width} × ${height} dots, ${dotsMin} to ${dotsMax} each way are allowed`);
  }
  const { default: pngjs } = await import('pngjs');
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  new pngjs.PNG().parse(bytes, (error: Error | null) => (error ? reject(error) : resolve()));
  return promise.catch(() => {
    throw new Error('its picture is damaged');
  });
}
