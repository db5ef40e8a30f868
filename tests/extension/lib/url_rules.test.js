/** Which pages are the hub's own, where no agent may be. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import './locale.js';
import { isHubsPage } from '../../src/browser_pilot/extension/hub_pages.js';
import { popupView } from '../../src/browser_pilot/extension/popup_view.js';

const SERVER = '127.0.0.1:8777';

test('the hub is known by every name that this machine has for it', () => {
  for (const host of ['127.0.0.1', 'localhost', 'any.localhost', '[::1]', '[::ffff:127.0.0.1]', '127.1', '2130706433', '0.0.0.0', '127.9.9.9']) {
    assert.ok(isHubsPage(`http://${host}:8777/`, SERVER), host);
  }
  assert.ok(isHubsPage('http://user@127.0.0.1:8777/dashboard/enter?x#y', SERVER));
  assert.ok(isHubsPage('blob:http://127.0.0.1:8777/0b1c', SERVER));
});

test('other ports and other hosts are not the hub', () => {
  for (const url of ['http://127.0.0.1:3000/', 'http://example.com:8777/', 'http://127.example.com:8777/', 'http://localhost.example:8777/', 'about:blank', 'nonsense', '']) {
    assert.ok(!isHubsPage(url, SERVER), url);
  }
  assert.ok(!isHubsPage('http://127.0.0.1:8777/', ''));
});

test('a hub elsewhere is known by its name', () => {
  assert.ok(isHubsPage('http://hub.example:8777/', 'hub.example:8777'));
  assert.ok(isHubsPage('http://hub.example/', 'hub.example:80'));
  assert.ok(!isHubsPage('http://127.0.0.1:8777/', 'hub.example:8777'));
});

test('the popup does not offer to share it, and says why', () => {
  const link = { phase: 'connected', problem: '', server: SERVER, since: 0, retryAt: 0, down: 0, up: 0 };
  const view = popupView(link, { tab: null, news: {} }, { title: 'Browser Pilot', url: 'http://localhost:8777/' }, 0);
  assert.equal(view.canConnect, false);
  assert.match(view.note, /hub's own page/);
});
