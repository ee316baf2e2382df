import { tell } from './message.js';

/** How long the customer waits to be asked: shorter than a caller's default, because somebody is looking. */
const holdMs = 2000;

/** One call. Its answer; or nothing, and the page says why `what` was refused. */
export async function post(path, body, what) {
  return call('POST', path, { body: JSON.stringify(body) }, what);
}

/** The same of what a customer does, who gives up after a while. */
export async function act(path, body, what) {
  return post(path, { ...body, holdMs }, what);
}

export async function remove(path, what) {
  return call('DELETE', path, {}, what);
}

/** What is fetched to be shown. */
export async function get(path) {
  return call('GET', path, {}, path);
}

async function call(method, path, more, what) {
  if (method !== 'GET') tell('');
  try {
    const response = await fetch(path, { method, ...more });
    const answer = await response.json();
    if (response.ok) return answer;
    tell(`${what}: ${answer.error}`);
  } catch {
    tell('The simulator does not answer.');
  }
  return undefined;
}
