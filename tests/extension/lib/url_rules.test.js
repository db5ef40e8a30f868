/** Which pages can be shared with agents. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { canBeShared, isHubPage } from '../../../src/browser_pilot/extension/lib/url_rules.js';

const SERVER = '127.0.0.1:8777';

test('the hub is recognised by every name of this machine', () => {
  for (const host of ['127.0.0.1', 'localhost', 'any.localhost', '[::1]', '[::ffff:127.0.0.1]', '127.1', '2130706433', '0.0.0.0', '127.9.9.9']) {
    assert.ok(isHubPage(`http://${host}:8777/`, SERVER), host);
  }
  assert.ok(isHubPage('http://user@127.0.0.1:8777/dashboard/login?x#y', SERVER));
  assert.ok(isHubPage('blob:http://127.0.0.1:8777/0b1c', SERVER));
});

test('other ports and other hosts are not the hub', () => {
  for (const url of ['http://127.0.0.1:3000/', 'http://example.com:8777/', 'http://127.example.com:8777/', 'http://localhost.example:8777/', 'about:blank', 'nonsense', '']) {
    assert.ok(!isHubPage(url, SERVER), url);
  }
  assert.ok(!isHubPage('http://127.0.0.1:8777/', ''));
});

test('a hub on another machine is recognised by its host name', () => {
  assert.ok(isHubPage('http://hub.example:8777/', 'hub.example:8777'));
  assert.ok(isHubPage('http://hub.example/', 'hub.example:80'));
  assert.ok(!isHubPage('http://127.0.0.1:8777/', 'hub.example:8777'));
});

test('web pages and what they made can be shared, pages of the browser cannot', () => {
  for (const url of ['https://example.com/', 'http://127.0.0.1:3000/', 'blob:https://example.com/6ba7b810', 'about:blank']) assert.ok(canBeShared(url), url);
  for (const url of ['chrome://settings/', 'chrome-extension://abc/x.html', 'blob:chrome-extension://abc/6ba7b810', 'file:///etc/passwd', 'javascript:1', '']) {
    assert.ok(!canBeShared(url), url);
  }
});
