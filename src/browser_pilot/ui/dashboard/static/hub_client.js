/** The dashboard's way to the hub: what the page asks, and the news that make it ask again. */

const KEY = 'browser-pilot-key';
const AGAIN_MS = 1_000;

/** The visit is over, or there was none. */
export class SignedOut extends Error {}

/** @param {string} key */
export function keepKey(key) {
  localStorage.setItem(KEY, key);
}

/** @param {string} path @param {Record<string, unknown>} [params] */
async function send(path, params = {}) {
  const headers = { 'Content-Type': 'application/json', 'X-Browser-Pilot-Key': localStorage.getItem(KEY) ?? '' };
  const answer = await fetch(path, { method: 'POST', headers, body: JSON.stringify(params) });
  if (answer.status === 401) throw new SignedOut();
  return answer;
}

/** Ask the hub something in the user's name. Throws with a sentence for the user. @param {string} name @param {Record<string, unknown>} [params] @returns {Promise<any>} */
export async function ask(name, params) {
  const answer = await send(`/dashboard/ask/${name}`, params);
  const told = await answer.json();
  if (!answer.ok) throw new Error([told.message, ...told.suggestions].join(' '));
  return told;
}

export async function leave() {
  await send('/dashboard/leave');
  localStorage.removeItem(KEY);
}

/**
 * Hear at once when a question comes or goes. While a page listens, its user counts as someone who can be asked. One page listens for
 * all of them: a browser opens few connections to one place.
 * @param {() => void} tell
 */
export function followNews(tell) {
  void (navigator.locks ? navigator.locks.request('browser-pilot news', () => listen(tell)) : listen(tell));
}

/** @param {() => void} tell */
async function listen(tell) {
  for (;;) {
    try {
      const { body } = await send('/dashboard/news');
      const lines = body?.pipeThrough(new TextDecoderStream()).getReader();
      for (let read = await lines?.read(); read && !read.done; read = await lines?.read()) {
        if (read.value.includes('news')) tell();
      }
    } catch (error) {
      if (error instanceof SignedOut) return;
    }
    tell();
    await new Promise((again) => setTimeout(again, AGAIN_MS));
  }
}
