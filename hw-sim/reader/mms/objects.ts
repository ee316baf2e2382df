import { decodeObjects } from '../../card/tlv.ts';

/**
 * Data objects that must all be present, each once, and no others. Otherwise a sentence that says what is wrong; it
 * begins with `where`.
 */
export function objectsByTag(
  bytes: Buffer | undefined,
  tags: readonly string[],
  where: string,
): ReadonlyMap<string, Buffer> | string {
  const objects = bytes === undefined ? undefined : decodeObjects(bytes);
  if (objects === undefined) return `${where} that is no list of data objects`;
  const byTag = new Map(objects.map(({ tag, value }) => [tag, value]));
  if (byTag.size !== objects.length) return `${where} that names a tag twice`;
  const missing = tags.find((tag) => !byTag.has(tag));
  if (missing !== undefined) return `${where} without ${missing}`;
  const stranger = objects.find(({ tag }) => !tags.includes(tag));
  return stranger === undefined ? byTag : `${where} with ${stranger.tag}`;
}
