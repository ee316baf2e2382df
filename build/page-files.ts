/** Whether a file of a page's folder is sent to browsers: types and their settings are for the type checker alone. */
export function isPageFile(name: string): boolean {
  return !/\.(?:ts|json)$/.test(name);
}
