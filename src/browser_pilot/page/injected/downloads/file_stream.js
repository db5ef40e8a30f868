// Files by way of the page: fetched with its cookies, its referrer and its rights, and handed over piece by piece.
//
// A file that is open has room for one piece, which is filled again and again: pieces of their own would stay in memory until the
// browser tidies up. It is closed by reading it to the end, by a failure, or by `closeFile`; a page that goes away takes it along.

/** @typedef {{ reader: ReadableStreamBYOBReader, room: ArrayBuffer, stop: AbortController,
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
    if (response.body) openFiles.set(id, { reader: response.body.getReader({ mode: 'byob' }), room: new ArrayBuffer(0), stop });
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
  try {
    const { piece } = await nextPiece(file, most, LONGEST_PIECE_MS);
    if (piece.length === 0) openFiles.delete(id);
    return { data: await base64Of(piece) };
  } catch (error) {
    pilot.closeFile(id);
    return { failed: error instanceof Error ? error.message : String(error) };
  }
};

/**
 * As many of the next bytes as there is room for, or as come in time, and at least one unless the file has ended. They are there
 * until the next piece is read. `note` is told of those that are there, again and again.
 * @param {OpenFile} file @param {number} most @param {number} patienceMs @param {(piece: Uint8Array<ArrayBuffer>) => unknown} [note]
 * @returns {Promise<{ piece: Uint8Array<ArrayBuffer>, ended: boolean }>}
 */
async function nextPiece(file, most, patienceMs, note) {
  const began = performance.now();
  if (file.room.byteLength !== most) file.room = new ArrayBuffer(most);
  let piece = new Uint8Array(file.room, 0, 0);
  let ended = false;
  while (piece.length < most && !ended && (piece.length === 0 || performance.now() - began < patienceMs)) {
    const size = piece.length;
    const { done, value } = await file.reader.read(new Uint8Array(file.room, size));
    if (!value) throw new Error('the page let go of it');
    ended = done;
    file.room = value.buffer;
    piece = new Uint8Array(file.room, 0, size + value.length);
    await note?.(piece);
  }
  return { piece, ended };
}

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
  /** @param {Uint8Array<ArrayBuffer>} piece */
  const note = async (piece) => {
    file.received = blob.size + piece.length;
    if (blob.size === 0 && piece.length >= MAGIC) file.beginning ??= await base64Of(piece.slice(0, MAGIC));
  };
  for (;;) {
    // What is in a Blob is the browser's, on the disk if need be.
    const { piece, ended } = await nextPiece(file, HELD_PIECE, Infinity, note);
    // Of no kind that Chrome knows, so that it leaves the name as we give it.
    blob = new Blob([blob, piece], { type: 'application/octet-stream' });
    if (!ended) continue;
    file.url = URL.createObjectURL(blob);
    return { url: file.url, received: blob.size, beginning: file.beginning ?? (blob.size ? await base64OfBlob(blob) : '') };
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
