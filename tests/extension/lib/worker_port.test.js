/** The way between the connection and the worker: faster once it can be, and never out of order. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Passage } from '../../src/browser_pilot/extension/passage.js';

/** Two ends, with both ways between them in the test's hands: what was posted arrives when `deliver` says so. */
function ends() {
  const got = { page: [], worker: [] };
  const ways = { slowDown: [], slowUp: [], fastDown: [], fastUp: [] };
  const page = new Passage({ postMessage: (one) => ways.slowDown.push(one) }, (one) => got.page.push(one));
  const worker = new Passage({ postMessage: (one) => ways.slowUp.push(one) }, (one) => got.worker.push(one));
  const pageEnd = { postMessage: (one) => ways.fastDown.push(one), onmessage: null };
  const workerEnd = { postMessage: (one) => ways.fastUp.push(one), onmessage: null };
  const takers = {
    slowDown: (one) => worker.fromSlow(one), slowUp: (one) => page.fromSlow(one),
    fastDown: (data) => workerEnd.onmessage({ data }), fastUp: (data) => pageEnd.onmessage({ data }),
  };
  const deliver = (way) => ways[way].splice(0).forEach(takers[way]);
  return { page, worker, pageEnd, workerEnd, ways, got, deliver };
}

test('before there is a channel everything goes by the port', () => {
  const { page, got, deliver } = ends();
  page.send(1);
  deliver('slowDown');
  assert.deepEqual(got.worker, [1]);
});

test('what overtakes on the fast way waits for what was sent before it', () => {
  const { page, worker, pageEnd, workerEnd, got, deliver } = ends();
  page.send(1);
  worker.offer(workerEnd);
  page.open(pageEnd);
  page.send(2);
  deliver('fastDown');
  assert.deepEqual(got.worker, []);
  deliver('slowDown');
  assert.deepEqual(got.worker, [1, 2]);
});

test('the worker sends on the channel only when the other end has it, and in order', () => {
  const { page, worker, pageEnd, workerEnd, ways, got, deliver } = ends();
  worker.offer(workerEnd);
  worker.send('a');
  assert.deepEqual(ways.fastUp, []);
  page.open(pageEnd);
  deliver('slowDown');
  worker.send('b');
  deliver('fastUp');
  assert.deepEqual(got.page, []);
  deliver('slowUp');
  worker.send('c');
  deliver('fastUp');
  assert.deepEqual(got.page, ['a', 'b', 'c']);
});

test('whatever the moments of delivery, the order is kept both ways', () => {
  for (let seed = 1; seed < 400; seed++) {
    let state = seed;
    const random = (most) => (state = (state * 1103515245 + 12345) % 2147483648) % most;
    const { page, worker, pageEnd, workerEnd, got, deliver } = ends();
    let down = 0;
    let up = 0;
    let opened = false;
    worker.offer(workerEnd);
    for (let step = 0; step < 40; step++) {
      const what = random(7);
      if (what === 0) page.send(down++);
      else if (what === 1) worker.send(up++);
      else if (what === 2 && !opened) page.open(pageEnd), (opened = true);
      else deliver(['slowDown', 'slowUp', 'fastDown', 'fastUp'][random(4)]);
    }
    for (let turn = 0; turn < 3; turn++) for (const way of ['fastDown', 'slowDown', 'fastUp', 'slowUp']) if (opened || way.startsWith('slow')) deliver(way);
    assert.deepEqual(got.worker, Array.from({ length: down }, (_, index) => index), `seed ${seed}`);
    assert.deepEqual(got.page, Array.from({ length: up }, (_, index) => index), `seed ${seed}`);
  }
});
