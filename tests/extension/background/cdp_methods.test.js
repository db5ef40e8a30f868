/** The hub sends listed commands only, opens web pages only, and reads cookies of controlled pages only. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { commandRefusal, cookiesOf, urlsOfSites } from '../../../src/browser_pilot/extension/background/cdp_methods.js';

// Recorded from the hub and Playwright in the tests of the user's own Chrome.
const SENT = `Runtime.callFunctionOn Runtime.evaluate Page.getFrameTree Page.createIsolatedWorld Page.enable Input.dispatchMouseEvent DOM.resolveNode
  Runtime.runIfWaitingForDebugger Target.getTargetInfo Page.startScreencast Emulation.setFocusEmulationEnabled Page.addScriptToEvaluateOnNewDocument
  Target.setAutoAttach Runtime.enable Page.setLifecycleEventsEnabled Network.enable Log.enable DOM.getFrameOwner Page.navigate DOMDebugger.getEventListeners
  DOM.describeNode Page.getNavigationHistory Fetch.continueRequest Inspector.enable Fetch.enable Storage.getCookies Page.handleJavaScriptDialog
  Page.getLayoutMetrics Page.captureScreenshot Fetch.continueResponse Runtime.releaseObject Input.setInterceptDrags Runtime.getProperties
  DOM.setFileInputFiles Page.setInterceptFileChooserDialog Input.dispatchDragEvent Target.detachFromTarget Storage.setCookies
  Page.removeScriptToEvaluateOnNewDocument Page.navigateToHistoryEntry Network.setCookie`.split(/\s+/);
const REFUSED = [
  'Network.getAllCookies', 'Network.loadNetworkResource', 'Storage.clearCookies', 'Target.createTarget', 'Target.getTargets', 'Target.attachToTarget', 'Page.setDownloadBehavior',
  'Browser.getVersion', 'Page.getResourceContent', 'Security.setIgnoreCertificateErrors', 'constructor', '__proto__', '', undefined, null, 7,
];

test('what the hub sends is allowed', () => {
  for (const method of SENT) assert.equal(commandRefusal(method, {}), '', method);
});

test('everything else is refused', () => {
  for (const method of REFUSED) assert.match(commandRefusal(method, {}), /may not send/, String(method));
});

test('only web pages are opened', () => {
  for (const url of ['https://example.com/', 'http://127.0.0.1:1/', 'about:blank', 'blob:https://example.com/1']) assert.equal(commandRefusal('Page.navigate', { url }), '', url);
  for (const url of ['file:///etc/passwd', 'chrome://settings/', 'chrome-extension://abc/x.html', 'javascript:1', 'data:text/html,x', 'view-source:https://example.com/', ' file:///x', 'FILE:///x', 7, {}]) {
    assert.match(commandRefusal('Page.navigate', { url }), /web pages/, String(url));
    assert.match(commandRefusal('Fetch.continueRequest', { url }), /web pages/, String(url));
  }
});

test('no other target can be named, and no file dropped', () => {
  assert.match(commandRefusal('Target.getTargetInfo', { targetId: 'x' }), /other targets/);
  assert.match(commandRefusal('Input.dispatchDragEvent', { data: { files: ['/etc/passwd'] } }), /dropped/);
  assert.equal(commandRefusal('Input.dispatchDragEvent', { data: { files: [], items: [] } }), '');
});

test('cookies of other sites are left out', () => {
  const domains = ['.example.com', 'example.com', 'shop.example.com', '.bank.test', 'bank.test', 'ample.com', 'evil-example.com'];
  const kept = (pages) => cookiesOf(domains.map((domain) => ({ domain })), pages).map(({ domain }) => domain);
  assert.deepEqual(kept(['https://example.com/']), ['.example.com', 'example.com', 'shop.example.com']);
  assert.deepEqual(kept(['https://www.example.com/']), ['.example.com']);
  assert.deepEqual(kept(['about:blank', 'file:///x']), []);
});

test('cookies are read for URLs of the pages\' own sites only', () => {
  const pages = ['https://www.example.com/'];
  assert.deepEqual(urlsOfSites(['https://bank.test/', 'https://example.com/x', 'https://a.www.example.com/', 'https://wwww.example.com/', 7], pages), ['https://example.com/x', 'https://a.www.example.com/']);
  assert.deepEqual(urlsOfSites(undefined, pages), []);
});
