/** Above the longest answer of a terminal. Another server must not fill the till's memory. */
const charactersMax = 32 * 1024 * 1024;

/** The text of an answer, read to its end. Throws if it is too long. */
export async function readText({ body }: Response): Promise<string> {
  const [reader, decoder] = [body?.getReader(), new TextDecoder()];
  let text = '';
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    text += decoder.decode(read.value, { stream: true });
    if (text.length <= charactersMax) continue;
    reader?.cancel().catch(() => undefined);
    throw new Error('an answer that is too long');
  }
  return text + decoder.decode();
}
