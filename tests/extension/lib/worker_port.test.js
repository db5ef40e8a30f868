/** The port between offscreen document and worker: switches to the faster channel and keeps messages in order. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { WorkerPort } from '../../../src/browser_pilot/extension/lib/worker_port.js';

/** Two ends; what was posted on the port or the channel arrives when the test calls `deliver`. */
function ends() {
  const got = { page: [], worker: [] };
  const ways = { portDown: [], portUp: [], channelDown: [], channelUp: [] };
  const page = new WorkerPort({ postMessage: (one) => ways.portDown.push(one) }, (one) => got.page.push(one));
  const worker = new WorkerPort({ postMessage: (one) => ways.portUp.push(one) }, (one) => got.worker.push(one));
  const pageEnd = { postMessage: (one) => ways.channelDown.push(one), onmessage: null };
  const workerEnd = { postMessage: (one) => ways.channelUp.push(one), onmessage: null };
  const receivers = {
    portDown: (one) => worker.onPortMessage(one), portUp: (one) => page.onPortMessage(one),
    channelDown: (data) => workerEnd.onmessage({ data }), channelUp: (data) => pageEnd.onmessage({ data }),
  };
  const deliver = (way) => ways[way].splice(0).forEach(receivers[way]);
  return { page, worker, pageEnd, workerEnd, ways, got, deliver };
}

test('without a channel everything uses the port', () => {
  const { page, got, deliver } = ends();
  page.send(1);
  deliver('portDown');
  assert.deepEqual(got.worker, [1]);
});

test('a message that overtakes on the channel waits for earlier ones', () => {
  const { page, worker, pageEnd, workerEnd, got, deliver } = ends();
  page.send(1);
  worker.offerChannel(workerEnd);
  page.acceptChannel(pageEnd);
  page.send(2);
  deliver('channelDown');
  assert.deepEqual(got.worker, []);
  deliver('portDown');
  assert.deepEqual(got.worker, [1, 2]);
});

test('the worker uses the channel only after the other end has switched, in order', () => {
  const { page, worker, pageEnd, workerEnd, ways, got, deliver } = ends();
  worker.offerChannel(workerEnd);
  worker.send('a');
  assert.deepEqual(ways.channelUp, []);
  page.acceptChannel(pageEnd);
  deliver('portDown');
  worker.send('b');
  deliver('channelUp');
  assert.deepEqual(got.page, []);
  deliver('portUp');
  worker.send('c');
  deliver('channelUp');
  assert.deepEqual(got.page, ['a', 'b', 'c']);
});

test('the order is kept in both directions for any timing', () => {
  for (let seed = 1; seed < 400; seed++) {
    let state = seed;
    const random = (most) => (state = (state * 1103515245 + 12345) % 2147483648) % most;
    const { page, worker, pageEnd, workerEnd, got, deliver } = ends();
    let down = 0;
    let up = 0;
    let opened = false;
    worker.offerChannel(workerEnd);
    for (let step = 0; step < 40; step++) {
      const what = random(7);
      if (what === 0) page.send(down++);
      else if (what === 1) worker.send(up++);
      else if (what === 2 && !opened) page.acceptChannel(pageEnd), (opened = true);
      else deliver(['portDown', 'portUp', 'channelDown', 'channelUp'][random(4)]);
    }
    for (let turn = 0; turn < 3; turn++) for (const way of ['channelDown', 'portDown', 'channelUp', 'portUp']) if (opened || way.startsWith('port')) deliver(way);
    assert.deepEqual(got.worker, Array.from({ length: down }, (_, index) => index), `seed ${seed}`);
    assert.deepEqual(got.page, Array.from({ length: up }, (_, index) => index), `seed ${seed}`);
  }
});
