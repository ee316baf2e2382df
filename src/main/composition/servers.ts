import type { Configuration } from '../../config/configuration.ts';
import { describedLogos } from '../../payment/method/descriptions.ts';
import { type ScreenServer, serveScreen } from '../../screen/server.ts';
import type { Log } from '../../observability/log.ts';
import type { PartBoundary } from '../../observability/part-boundary.ts';
import { type Picture, readLogos, readPicture, screenLogoBounds } from '../../screen/picture-file.ts';
import { listenFault, StartError } from './start-error.ts';

/** The payment app's page, on loopback. `framedBy`: origins of pages that may frame it. Rejects with StartError. */
export async function openScreen(
  configuration: Configuration,
  log: Log,
  framedBy: readonly string[],
  boundary: PartBoundary,
): Promise<ScreenServer> {
  const { port, outcomeMs: _time, currency: _currency, logo: path, ...style } = configuration.screen;
  const logo = await readShopLogo(path, log);
  const logos = await readLogos(describedLogos(), (error) => log.failure('screen', error));
  return boundary
    .within('screen', () => serveScreen(port, logos, framedBy, style, logo))
    .catch((error: unknown) => {
      throw new StartError(`the screen can't listen on 127.0.0.1:${port}: ${listenFault(error)}`);
    });
}

/** One that can't be used is left out: the screen greets without it. */
async function readShopLogo(path: string | undefined, log: Log): Promise<Picture | undefined> {
  if (path === undefined) return undefined;
  try {
    return await readPicture(path, screenLogoBounds);
  } catch (error) {
    log.failure('screen', new Error(`the shop’s logo is left out: ${(error as Error).message}`));
    return undefined;
  }
}
