// Files fetched by the page, with its cookies, referrer and permissions, and passed to Python in chunks.
//
// An open file has one buffer, which is reused: new ones would stay in memory until the next garbage collection. The file is closed
// at its end, by a failure, by `closeFile`, or with its document.

import { elementOf } from '../refs.js';

/** @import { Downloadable } from './downloadable.js' */

/** @typedef {{ reader: ReadableStreamBYOBReader, buffer: ArrayBuffer, abort: AbortController,
 *   collected?: Promise<object>, received?: number, beginning?: string, url?: string }} OpenFile */

/** @type {Map<string, OpenFile>} */
const openFiles = new Map();
const CHUNK_TIMEOUT_MS = 500;
const BLOB_CHUNK_BYTES = 4 << 20;
const MAGIC_BYTES = 512;

/**
 * Opens a file. Returns the response headers, or the error.
 * @param {string} id @param {Downloadable} source @param {number} timeoutMs
 */
export async function openFile(id, source, timeoutMs) {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort('timeout'), timeoutMs);
  try {
    const response = source.ref === undefined ? await fetchUrl(source, abort.signal) : await renderedFile(source.ref);
    if (response.body) openFiles.set(id, { reader: response.body.getReader({ mode: 'byob' }), buffer: new ArrayBuffer(0), abort });
    const encoded = response.headers.has('content-encoding');
    const length = response.headers.get('content-length');
    return {
      status: response.status,
      url: response.url,
      mime: response.headers.get('content-type') ?? '',
      range: response.headers.get('content-range') ?? '',
      disposition: response.headers.get('content-disposition') ?? '',
      length: length === null || encoded ? null : Number(length),
      empty: response.body === null,
    };
  } catch (error) {
    return { error: abort.signal.aborted ? 'timeout' : error instanceof Error ? error.message : String(error) };
  } finally {
    clearTimeout(timer);
  }
}

/** The next bytes of an open file, as base64; none at its end. @param {string} id @param {number} maxBytes */
export async function readFile(id, maxBytes) {
  const file = openFiles.get(id);
  if (!file) return { error: 'the page closed the file' };
  try {
    const { chunk } = await nextChunk(file, maxBytes, CHUNK_TIMEOUT_MS);
    if (chunk.length === 0) openFiles.delete(id);
    return { data: await base64Of(chunk) };
  } catch (error) {
    closeFile(id);
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * The next bytes: up to `maxBytes`, or as many as come in time, and at least one unless the file has ended. They are valid until the
 * next chunk is read. `onProgress` gets the bytes so far, again and again.
 * @param {OpenFile} file @param {number} maxBytes @param {number} timeoutMs @param {(chunk: Uint8Array<ArrayBuffer>) => unknown} [onProgress]
 * @returns {Promise<{ chunk: Uint8Array<ArrayBuffer>, ended: boolean }>}
 */
async function nextChunk(file, maxBytes, timeoutMs, onProgress) {
  const startedAt = performance.now();
  if (file.buffer.byteLength !== maxBytes) file.buffer = new ArrayBuffer(maxBytes);
  let chunk = new Uint8Array(file.buffer, 0, 0);
  let ended = false;
  while (chunk.length < maxBytes && !ended && (chunk.length === 0 || performance.now() - startedAt < timeoutMs)) {
    const size = chunk.length;
    const { done, value } = await file.reader.read(new Uint8Array(file.buffer, size));
    if (!value) throw new Error('the page closed the file');
    ended = done;
    file.buffer = value.buffer;
    chunk = new Uint8Array(file.buffer, 0, size + value.length);
    await onProgress?.(chunk);
  }
  return { chunk, ended };
}

/**
 * Reads an open file into a Blob, for the browser to save. Returns when it is complete, or after a time with the number of bytes so
 * far, and the first ones if they are known.
 * @param {string} id @param {number} timeoutMs
 */
export async function collectBlob(id, timeoutMs) {
  const file = openFiles.get(id);
  if (!file) return { error: 'the page closed the file' };
  file.collected ??= readIntoBlob(file).catch((error) => ({ error: error instanceof Error ? error.message : String(error) }));
  const progress = () => ({ received: file.received ?? 0, beginning: file.beginning ?? null });
  const timeout = new Promise((resolve) => setTimeout(() => resolve(progress()), timeoutMs));
  return Promise.race([file.collected, timeout]);
}

/** @param {OpenFile} file */
async function readIntoBlob(file) {
  let blob = new Blob();
  /** @param {Uint8Array<ArrayBuffer>} chunk */
  const onProgress = async (chunk) => {
    file.received = blob.size + chunk.length;
    if (blob.size === 0 && chunk.length >= MAGIC_BYTES) file.beginning ??= await base64Of(chunk.slice(0, MAGIC_BYTES));
  };
  for (;;) {
    // The browser process stores Blobs, on disk if need be.
    const { chunk, ended } = await nextChunk(file, BLOB_CHUNK_BYTES, Infinity, onProgress);
    // A generic type, so that Chrome keeps the file name as given.
    blob = new Blob([blob, chunk], { type: 'application/octet-stream' });
    if (!ended) continue;
    file.url = URL.createObjectURL(blob);
    return { url: file.url, received: blob.size, beginning: file.beginning ?? (blob.size ? await base64OfBlob(blob) : '') };
  }
}

/** @param {string} id */
export function closeFile(id) {
  const file = openFiles.get(id);
  openFiles.delete(id);
  if (file?.url) URL.revokeObjectURL(file.url);
  file?.abort.abort();
  file?.reader.cancel().catch(() => {});
}

/**
 * Makes the browser download a URL of the page's own memory, where the page's CSP forbids to fetch it.
 * @param {string} url @param {string} name
 */
export function saveByLink(url, name) {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
}

/** @param {Downloadable} source @param {AbortSignal} signal @returns {Promise<Response>} */
async function fetchUrl(source, signal) {
  const url = source.url ?? '';
  // A page's CSP may forbid to fetch a data URL.
  if (/^data:/i.test(url)) return dataUrlResponse(url);
  const referrerPolicy = /** @type {ReferrerPolicy} */ (source.referrerPolicy ?? '');
  return fetch(url, { credentials: 'include', signal, referrerPolicy });
}

/** @param {string} url */
function dataUrlResponse(url) {
  const comma = url.indexOf(',');
  const kind = url.slice(5, comma).trim();
  const body = decodeURIComponent(url.slice(comma + 1).replace(/%(?![0-9a-f]{2})/gi, '%25'));
  const isBase64 = /;\s*base64$/i.test(kind);
  const bytes = isBase64 ? Uint8Array.from(atob(body), (character) => character.charCodeAt(0)) : new TextEncoder().encode(body);
  return new Response(bytes, { headers: { 'content-type': kind.replace(/;\s*base64$/i, '') || 'text/plain' } });
}

/** What a canvas or SVG element shows, as a file. @param {string} ref @returns {Promise<Response>} */
async function renderedFile(ref) {
  const element = elementOf(ref);
  if (element instanceof HTMLCanvasElement) {
    const blob = await new Promise((resolve) => element.toBlob(resolve));
    if (!(blob instanceof Blob)) throw new Error('the canvas is empty');
    return new Response(blob);
  }
  if (!element) throw new Error('the element is gone');
  const copy = /** @type {Element} */ (element.cloneNode(true));
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  return new Response(new Blob([new XMLSerializer().serializeToString(copy)], { type: 'image/svg+xml' }));
}

/** @param {Uint8Array<ArrayBuffer>} bytes @returns {string | Promise<string>} */
function base64Of(bytes) {
  return 'toBase64' in bytes ? /** @type {{ toBase64(): string }} */ (/** @type {unknown} */ (bytes)).toBase64() : base64OfBlob(new Blob([bytes]));
}

/** @param {Blob} blob @returns {Promise<string>} */
function base64OfBlob(blob) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).slice(String(reader.result).indexOf(',') + 1));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}
