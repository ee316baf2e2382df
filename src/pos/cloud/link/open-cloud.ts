import type { Configuration } from '../../../config/configuration.ts';
import type { Cloud, CloudOptions } from './cloud.ts';

export type { Cloud } from './cloud.ts';

/**
 * The link to tills and a fleet behind a broker, where it is configured: for nobody else its library is loaded. Rejects
 * with RangeError if its files can't be read.
 */
export async function openCloud(configuration: Configuration, options: CloudOptions): Promise<Cloud | undefined> {
  const { cloud } = configuration;
  if (!cloud) return undefined;
  const { makeCloud } = await import('./cloud.ts');
  return makeCloud(configuration, cloud, options);
}
