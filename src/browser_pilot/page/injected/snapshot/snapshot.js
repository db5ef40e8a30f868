// The snapshot that Python requests: the rows of one reading in one string. Rows that the caller already has are not sent again.

import { newRootCount, suspectedHostCount } from '../cdp_facts.js';
import { pageTitle } from '../mutation_watch.js';
import { documentToken, lastRef } from '../refs.js';
import { readPage, takePrefetched } from './snapshot_prefetch.js';

/** @import { ReadOptions } from './page_reader.js' */

/** The rows that were sent last, and the mark of that snapshot. @type {{ mark: string, rows: string[] }} */
let lastSent = { mark: '', rows: [] };
let snapshots = 0;

/** @param {ReadOptions} options @returns {string} */
export function snapshot(options) {
  const { rows, before, rest, found } = takePrefetched(options) ?? readPage(options);
  const [head, tail] = options.known === lastSent.mark ? commonEnds(lastSent.rows, rows) : [0, 0];
  lastSent = { mark: `${documentToken}.${++snapshots}`, rows };
  const reply = JSON.stringify({
    before, rest, found, document: documentToken, url: location.href, title: pageTitle(), lastRef: lastRef(),
    suspectedHosts: suspectedHostCount(), newRoots: newRootCount(), mark: lastSent.mark, head, tail,
  });
  return `${reply.slice(0, -1)},"rows":[${rows.slice(head, rows.length - tail).join(',')}]}`;
}

/** How many rows two lists have in common at their beginning, and at their end after that. @param {string[]} before @param {string[]} now */
function commonEnds(before, now) {
  const maxCommon = Math.min(before.length, now.length);
  let head = 0;
  while (head < maxCommon && before[head] === now[head]) head++;
  let tail = 0;
  while (tail < maxCommon - head && before[before.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  return [head, tail];
}
