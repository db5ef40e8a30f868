/**
 * Which CDP commands the hub may send to a tab, and which cookies it may read through them. Pure.
 *
 * Chrome itself limits a debugger to its tab in most commands, but not in all: some reach all sites' cookies, files, or other tabs. The list
 * has what the hub and Playwright need. Everything else is refused, so that even a program that holds the hub's key gets no more.
 */

import { canBeShared } from '../lib/url_rules.js';

/** @type {Record<string, string>} */
const METHODS = {
  DOM: 'describeNode disable enable getBoxModel getContentQuads getDocument getFrameOwner getOuterHTML requestNode resolveNode scrollIntoViewIfNeeded setFileInputFiles',
  DOMDebugger: 'getEventListeners',
  Emulation: 'clearDeviceMetricsOverride setDefaultBackgroundColorOverride setDeviceMetricsOverride setEmulatedMedia setFocusEmulationEnabled setGeolocationOverride setLocaleOverride setScriptExecutionDisabled setTimezoneOverride setTouchEmulationEnabled setUserAgentOverride',
  Fetch: 'continueRequest continueResponse continueWithAuth disable enable failRequest fulfillRequest getResponseBody',
  IO: 'close read',
  Input: 'dispatchDragEvent dispatchKeyEvent dispatchMouseEvent dispatchTouchEvent insertText setInterceptDrags',
  Inspector: 'disable enable',
  Log: 'disable enable',
  Network: 'deleteCookies disable emulateNetworkConditions enable getCookies getRequestPostData getResponseBody setBypassServiceWorker setCacheDisabled setCookie setExtraHTTPHeaders',
  Page: 'addScriptToEvaluateOnNewDocument captureScreenshot crash createIsolatedWorld disable enable getFrameTree getLayoutMetrics getNavigationHistory handleJavaScriptDialog navigate navigateToHistoryEntry printToPDF reload removeScriptToEvaluateOnNewDocument screencastFrameAck setBypassCSP setInterceptFileChooserDialog setLifecycleEventsEnabled startScreencast stopScreencast',
  Runtime: 'addBinding callFunctionOn disable enable evaluate getHeapUsage getProperties releaseObject releaseObjectGroup runIfWaitingForDebugger terminateExecution',
  Storage: 'getCookies setCookies',
  Target: 'detachFromTarget getTargetInfo setAutoAttach',
};
const ALLOWED = new Set(Object.entries(METHODS).flatMap(([domain, names]) => names.split(' ').map((name) => `${domain}.${name}`)));
const SENT_WHILE_HALTED = /\.(enable|disable)$|^Runtime\.(runIfWaitingForDebugger|releaseObject|releaseObjectGroup)$|^Page\.getFrameTree$|^Fetch\.(continueRequest|failRequest)$/;

/** @typedef {{ url?: unknown, targetId?: unknown, data?: { files?: unknown[] } }} Params */
/** @typedef {{ domain?: unknown }} Cookie */

/** Why a command must not be sent; empty if it may. @param {unknown} method @param {unknown} params */
export function commandRefusal(method, params) {
  if (typeof method !== 'string' || !ALLOWED.has(method)) return `The hub may not send ${String(method).slice(0, 80)}.`;
  const { url, targetId, data } = /** @type {Params} */ (params ?? {});
  if (url !== undefined && ['Page.navigate', 'Fetch.continueRequest'].includes(method) && !isWebPage(url)) return 'Only web pages can be opened.';
  if (targetId !== undefined) return 'The hub may not name other targets.';
  return data?.files?.length ? 'Files cannot be dropped.' : '';
}

/** Commands that only listen, or without which the user's page would wait. The hub has the same list. @param {unknown} method */
export function mayBeSentWhileHalted(method) {
  return typeof method === 'string' && SENT_WHILE_HALTED.test(method);
}

/** @param {unknown} url */
export function isWebPage(url) {
  return typeof url === 'string' && canBeShared(url);
}

/** The cookies that pages at these URLs have; the hub leaves the others out too. @param {Cookie[]} cookies @param {string[]} pages */
export function cookiesOf(cookies, pages) {
  const hosts = pages.map(hostOf).filter(Boolean);
  return cookies.filter(({ domain }) => {
    const bare = String(domain).replace(/^\./, '').toLowerCase();
    return hosts.some((host) => bare === host || (String(domain).startsWith('.') && host.endsWith(`.${bare}`)) || bare.endsWith(`.${host}`));
  });
}

/** Those URLs whose host is the host of one of these pages, or a parent or subdomain of it. @param {unknown} urls @param {string[]} pages @returns {string[]} */
export function urlsOfSites(urls, pages) {
  const hosts = pages.map(hostOf).filter(Boolean);
  return (Array.isArray(urls) ? urls : []).filter((url) => {
    const other = hostOf(String(url));
    return other && hosts.some((host) => other === host || other.endsWith(`.${host}`) || host.endsWith(`.${other}`));
  });
}

/** @param {string} url */
function hostOf(url) {
  const inner = url.replace(/^blob:/, '');
  return URL.canParse(inner) && /^https?:/.test(inner) ? new URL(inner).hostname : '';
}
