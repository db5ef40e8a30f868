/** The death of the service worker: lost calls are reported once, and the next worker starts. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ServiceWorkerConnection } from '../../../src/browser_pilot/extension/offscreen/service_worker_connection.js';

function started() {
  const ports = [];
  const lost = [];
  const received = [];
  const connection = new ServiceWorkerConnection({
    connect: () => {
      const port = { sent: [], postMessage: (message) => port.sent.push(message) };
      port.onMessage = { addListener: (listener) => { port.deliver = listener; } };
      port.onDisconnect = { addListener: (listener) => { port.die = listener; } };
      ports.push(port);
      return port;
    },
    onMessage: (message) => received.push(message),
    onLost: (id) => lost.push(id),
  });
  connection.open();
  return { connection, ports, lost, received };
}

test('a call without an answer is lost when the worker dies, and is not sent again', () => {
  const { connection, ports, lost } = started();
  connection.forward({ id: 'c1' });
  connection.forward({ id: 'c2' });
  ports[0].deliver({ toHub: { id: 'c1' } });
  ports[0].die();
  assert.deepEqual(lost, ['c2']);
  assert.equal(ports.length, 2);
  assert.deepEqual(ports[1].sent, []);
});

test('a lost call is reported once, also when the next worker dies', () => {
  const { connection, ports, lost } = started();
  connection.forward({ id: 'c1' });
  ports[0].die();
  ports[1].die();
  assert.deepEqual(lost, ['c1']);
  assert.equal(ports.length, 3);
});

test('the late end of an earlier worker does not end the current one', () => {
  const { connection, ports, lost } = started();
  ports[0].die();
  connection.forward({ id: 'c1' });
  ports[0].die();
  assert.deepEqual(lost, []);
  assert.equal(ports.length, 2);
});

test('an event without an id is not a call', () => {
  const { connection, ports, lost } = started();
  connection.forward({});
  ports[0].die();
  assert.deepEqual(lost, []);
});

test('a channel of an earlier worker is not used', () => {
  const { connection, ports } = started();
  const channel = { sent: [], postMessage: (message) => channel.sent.push(message), onmessage: null };
  ports[0].deliver({ channel: 'first' });
  ports[0].die();
  connection.addChannel('first', channel);
  connection.send({ connected: true });
  assert.deepEqual(channel.sent, []);
  assert.deepEqual(ports[1].sent, [{ connected: true }]);
});

test('a channel is used once its name and the channel itself have arrived', () => {
  const { connection, ports } = started();
  const channel = { sent: [], postMessage: (message) => channel.sent.push(message), onmessage: null };
  connection.addChannel('only', channel);
  ports[0].deliver({ channel: 'only' });
  connection.send({ connected: true });
  assert.deepEqual(channel.sent, [{ connected: true }]);
});
