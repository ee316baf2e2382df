/** The root of this project: two folders above the source, one above the bundle in dist/. */
export const projectRoot = new URL(import.meta.url.endsWith('.ts') ? '../../' : '../', import.meta.url);
