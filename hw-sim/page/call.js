import { tell } from './message.js';

/** How long a call waits for the terminal: shorter than the API's default, because a user is watching. */
const holdMs = 2000;

/** One call. Returns its answer; undefined if it was refused, and the page then says why. `what` names the action. */
export async function post(path, body, what) {
  return call('POST', path, { body: JSON.stringify(body) }, what);
}

/** The same for a customer's action, which gives up after a while. */
export async function act(path, body, what) {
  return post(path, { ...body, holdMs }, what);
}

export async function remove(path, what) {
  return call('DELETE', path, {}, what);
}

/** Fetches data to be shown. */
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
