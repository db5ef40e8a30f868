// Files by way of the page: fetched with its cookies, its referrer and its rights, and handed over piece by piece.
//
// A file that is open holds one piece and its stream, never the whole. It is closed by reading it to the end, by a failure, or by
// `closeFile`; a page that goes away takes it along.

/** @typedef {{ reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>, stop: AbortController,
 *   held?: Promise<object>, received?: number, beginning?: string, url?: string }} OpenFile */

/** @type {Map<string, OpenFile>} */
const openFiles = new Map();
const LONGEST_PIECE_MS = 500;
const HELD_PIECE = 4 << 20;
const MAGIC = 512;

/**
 * Opens a file; what the server says of it, or why it cannot be had in this way.
 * @param {string} id @param {Resource} resource @param {number} patienceMs
 */
pilot.openFile = async function openFile(id, resource, patienceMs) {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort('late'), patienceMs);
  try {
    const response = resource.ref === undefined ? await answerOf(resource.url ?? '', stop.signal) : await drawn(resource.ref);
    if (response.body) openFiles.set(id, { reader: response.body.getReader(), stop });
    const encoded = response.headers.has('content-encoding');
    const length = response.headers.get('content-length');
    return {
      status: response.status,
      url: response.url,
      mime: response.headers.get('content-type') ?? '',
      disposition: response.headers.get('content-disposition') ?? '',
      length: length === null || encoded ? null : Number(length),
      empty: response.body === null,
    };
  } catch (error) {
    return { failed: stop.signal.aborted ? 'late' : error instanceof Error ? error.message : String(error) };
  } finally {
    clearTimeout(timer);
  }
};

/** The next bytes of an open file, as base64: none when it is at its end. @param {string} id @param {number} most */
pilot.readFile = async function readFile(id, most) {
  const file = openFiles.get(id);
  if (!file) return { failed: 'the page let go of it' };
  const began = performance.now();
  const pieces = [];
  let size = 0;
  try {
    while (size < most && performance.now() - began < LONGEST_PIECE_MS) {
      const { done, value } = await file.reader.read();
      if (done) break;
      pieces.push(value);
      size += value.length;
    }
  } catch (error) {
    pilot.closeFile(id);
    return { failed: error instanceof Error ? error.message : String(error) };
  }
  if (size === 0) openFiles.delete(id);
  return { data: size === 0 ? '' : await base64Of(new Blob(pieces)) };
};

/**
 * Gathers an open file in the browser's own store, for the browser to save. Comes back when it is whole, or after a while with
 * how much there is, and how it begins if that is known.
 * @param {string} id @param {number} patienceMs
 */
pilot.holdFile = async function holdFile(id, patienceMs) {
  const file = openFiles.get(id);
  if (!file) return { failed: 'the page let go of it' };
  file.held ??= gathered(file).catch((error) => ({ failed: error instanceof Error ? error.message : String(error) }));
  const later = new Promise((resolve) => setTimeout(() => resolve({ received: file.received ?? 0, beginning: file.beginning ?? null }), patienceMs));
  return Promise.race([file.held, later]);
};

/** @param {OpenFile} file */
async function gathered(file) {
  let blob = new Blob();
  for (;;) {
    const pieces = [];
    let size = 0;
    let ended = false;
    // What is in a Blob is the browser's, on the disk if need be; what is in pieces is in our memory.
    while (size < HELD_PIECE && !ended) {
      const { done, value } = await file.reader.read();
      ended = done;
      if (value) pieces.push(value);
      size += value?.length ?? 0;
      file.received = blob.size + size;
      if (file.received >= MAGIC) file.beginning ??= await base64Of(new Blob([blob, ...pieces]).slice(0, MAGIC));
    }
    // Of no kind that Chrome knows, so that it leaves the name as we give it.
    blob = new Blob([blob, ...pieces], { type: 'application/octet-stream' });
    if (!ended) continue;
    file.url = URL.createObjectURL(blob);
    return { url: file.url, received: blob.size, beginning: blob.size ? await base64Of(blob.slice(0, MAGIC)) : '' };
  }
}

/** @param {string} id */
pilot.closeFile = function closeFile(id) {
  const file = openFiles.get(id);
  openFiles.delete(id);
  if (file?.url) URL.revokeObjectURL(file.url);
  file?.stop.abort();
  file?.reader.cancel().catch(() => {});
};

/**
 * Lets the browser save what the page holds in memory, where the page's own policy forbids to fetch it.
 * @param {string} url @param {string} name
 */
pilot.saveHeld = function saveHeld(url, name) {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
};

/** @param {string} url @param {AbortSignal} signal @returns {Promise<Response>} */
async function answerOf(url, signal) {
  // A page's policy may forbid to fetch what it already holds in its own text.
  return /^data:/i.test(url) ? ofDataUrl(url) : fetch(url, { credentials: 'include', signal });
}

/** @param {string} url */
function ofDataUrl(url) {
  const comma = url.indexOf(',');
  const kind = url.slice(5, comma).trim();
  const body = decodeURIComponent(url.slice(comma + 1).replace(/%(?![0-9a-f]{2})/gi, '%25'));
  const isBase64 = /;\s*base64$/i.test(kind);
  const bytes = isBase64 ? Uint8Array.from(atob(body), (character) => character.charCodeAt(0)) : new TextEncoder().encode(body);
  return new Response(bytes, { headers: { 'content-type': kind.replace(/;\s*base64$/i, '') || 'text/plain' } });
}

/** What an element draws, as a file. @param {string} ref @returns {Promise<Response>} */
async function drawn(ref) {
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

/** @param {Blob} blob @returns {Promise<string>} */
function base64Of(blob) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).slice(String(reader.result).indexOf(',') + 1));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}
