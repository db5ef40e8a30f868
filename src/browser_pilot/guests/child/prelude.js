// The global objects of a JavaScript guest. Evaluated before its script; `pilot(kind, text)` is the only way out of the
// engine. Its value is the functions that the host calls: deliver a line, settle a host request, run a timer. The host
// runs all jobs after each, so that `currentCall` is the call that all of them follow from.
(() => {
  "use strict";
  const pilot = globalThis.__pilot;
  delete globalThis.__pilot;
  const { parse, stringify } = JSON;
  const define = (name, value) =>
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });

  const lines = [];
  const lineReaders = [];
  const requests = new Map();
  let lastRequest = 0;
  let currentCall = null;

  class HostError extends Error {
    constructor({ code, message }) {
      super(message);
      this.name = "HostError";
      this.code = code;
    }
  }

  const requestHost = (method, params = {}) =>
    new Promise((resolve, reject) => {
      const id = ++lastRequest;
      requests.set(id, { resolve, reject, call: currentCall });
      pilot("host", stringify({ id, method, params, call: currentCall }));
    });
  const takeLine = () => {
    const { line, call } = lines.shift();
    currentCall = call;
    return line;
  };

  const readLine = () => {
    pilot("reading", "");
    return new Promise((resolve) => (lines.length ? resolve(takeLine()) : lineReaders.push(resolve)));
  };

  define("MCP", Object.freeze({
    readLine,
    writeLine: (text) => void pilot("line", String(text)),
    requestHost,
  }));
  define("process", { env: parse(pilot("environment", "")), argv: [], platform: "browser-pilot", version: "" });

  const formatted = (value) => {
    if (typeof value === "string") return value;
    if (value instanceof Error) return value.stack ? `${value}\n${value.stack}` : String(value);
    try {
      return stringify(value) ?? String(value);
    } catch {
      return String(value);
    }
  };
  const logger = (level) => (...values) => void pilot("log", `${level}\n${values.map(formatted).join(" ")}`);
  define("console", {
    log: logger("info"), info: logger("info"), debug: logger("debug"), trace: logger("debug"),
    warn: logger("warning"), error: logger("error"),
    assert: (condition, ...values) => condition || logger("error")("Assertion failed:", ...values),
  });

  const { now } = Date;
  const timers = new Map();
  let lastTimer = 0;
  const startTimer = (callback, delay, repeat, values) => {
    if (typeof callback !== "function") throw new TypeError("a timer needs a function");
    const wait = Math.max(Number(delay) || 0, repeat ? 1 : 0);
    timers.set(++lastTimer, { callback, values, due: now() + wait, every: repeat ? wait : null, call: currentCall });
    return lastTimer;
  };
  const stopTimer = (id) => void timers.delete(id);
  define("setTimeout", (callback, delay, ...values) => startTimer(callback, delay, false, values));
  define("setInterval", (callback, delay, ...values) => startTimer(callback, delay, true, values));
  define("clearTimeout", stopTimer);
  define("clearInterval", stopTimer);
  if (!globalThis.queueMicrotask) define("queueMicrotask", (callback) => void Promise.resolve().then(callback));

  const binary = (bytes) => {
    let text = "";
    for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
    return text;
  };
  const bytesOf = (data) => {
    if (data instanceof ArrayBuffer) return new Uint8Array(data);
    if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    throw new TypeError("expected a buffer");
  };
  const fromBase64 = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

  define("TextEncoder", class TextEncoder {
    get encoding() { return "utf-8"; }
    encode(text = "") { return fromBase64(pilot("utf8", String(text))); }
  });
  define("TextDecoder", class TextDecoder {
    #fatal;
    #keepByteOrderMark;
    constructor(label = "utf-8", { fatal = false, ignoreBOM = false } = {}) {
      if (!/^\s*utf-?8\s*$/i.test(label)) throw new RangeError(`the encoding ${label} is not supported`);
      this.#fatal = fatal;
      this.#keepByteOrderMark = ignoreBOM;
    }
    get encoding() { return "utf-8"; }
    get fatal() { return this.#fatal; }
    decode(data = new Uint8Array()) {
      const decoded = pilot("text", `${this.#fatal ? "strict" : "replace"}\n${btoa(binary(bytesOf(data)))}`);
      if (decoded[0] === "!") throw new TypeError("the data is not valid UTF-8");
      const text = decoded.slice(1);
      return !this.#keepByteOrderMark && text[0] === "\ufeff" ? text.slice(1) : text;
    }
  });

  const subtle = Object.freeze({
    digest: async (algorithm, data) => {
      const name = String(algorithm?.name ?? algorithm).toUpperCase();
      const digest = pilot("digest", `${name}\n${btoa(binary(bytesOf(data)))}`);
      if (!digest) throw new DOMException(`the algorithm ${name} is not supported`, "NotSupportedError");
      return fromBase64(digest).buffer;
    },
  });
  define("crypto", Object.freeze({
    subtle,
    getRandomValues: (view) => {
      const bytes = bytesOf(view);
      if (bytes.length > 65536) throw new DOMException("at most 65536 bytes at a time", "QuotaExceededError");
      bytes.set(fromBase64(pilot("random", String(bytes.length))));
      return view;
    },
    randomUUID: () => pilot("uuid", ""),
  }));

  const pairsOf = (text) =>
    text.split("&").filter(Boolean).map((part) => {
      const [name, ...value] = part.split("=");
      const decode = (text) => pilot("unquote", text.replaceAll("+", " "));
      return [decode(name), decode(value.join("="))];
    });
  const quote = (text) =>
    encodeURIComponent(String(text).toWellFormed())
      .replace(/%20/g, "+").replace(/[!'()~]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);

  class URLSearchParams {
    #pairs = [];
    #onChange = () => {};
    constructor(from = "") {
      if (typeof from === "object" && from !== null) {
        const pairs = typeof from[Symbol.iterator] === "function" ? [...from] : Object.entries(from);
        this.#pairs = pairs.map(([name, value]) => [String(name), String(value)]);
      } else {
        this.#pairs = pairsOf(String(from).replace(/^\?/, ""));
      }
    }
    static of(query, onChange) {
      const made = new URLSearchParams(query);
      made.#onChange = onChange;
      return made;
    }
    get size() { return this.#pairs.length; }
    append(name, value) { this.#pairs.push([String(name), String(value)]); this.#onChange(this); }
    delete(name, value) {
      this.#pairs = this.#pairs.filter((pair) => pair[0] !== String(name) || (value !== undefined && pair[1] !== String(value)));
      this.#onChange(this);
    }
    get(name) { return this.#pairs.find((pair) => pair[0] === String(name))?.[1] ?? null; }
    getAll(name) { return this.#pairs.filter((pair) => pair[0] === String(name)).map((pair) => pair[1]); }
    has(name) { return this.#pairs.some((pair) => pair[0] === String(name)); }
    set(name, value) {
      const first = this.#pairs.findIndex((pair) => pair[0] === String(name));
      if (first < 0) return this.append(name, value);
      this.#pairs = this.#pairs.filter((pair, at) => at <= first || pair[0] !== String(name));
      this.#pairs[first] = [String(name), String(value)];
      this.#onChange(this);
    }
    sort() { this.#pairs.sort((one, other) => (one[0] < other[0] ? -1 : one[0] > other[0] ? 1 : 0)); this.#onChange(this); }
    forEach(callback, self) { for (const [name, value] of this.#pairs) callback.call(self, value, name, this); }
    *entries() { yield* this.#pairs.map((pair) => [...pair]); }
    *keys() { for (const [name] of this.#pairs) yield name; }
    *values() { for (const [, value] of this.#pairs) yield value; }
    [Symbol.iterator]() { return this.entries(); }
    toString() { return this.#pairs.map(([name, value]) => `${quote(name)}=${quote(value)}`).join("&"); }
  }
  define("URLSearchParams", URLSearchParams);

  const parseUrl = (text, base, change) => parse(pilot("url", stringify([String(text), base ?? null, change ?? null])));
  class URL {
    #parts;
    #query;
    constructor(text, base) {
      this.#setParts(parseUrl(text, base === undefined ? null : String(base)));
      if (!this.#parts) throw new TypeError(`Invalid URL: ${text}`);
    }
    #setParts(parts) {
      this.#parts = parts;
      this.#query = parts && URLSearchParams.of(parts.search, (query) => {
        this.#parts = parseUrl(parts.href, null, ["search", String(query)]) ?? this.#parts;
      });
    }
    static canParse(text, base) { return parseUrl(text, base) !== null; }
    static parse(text, base) { return URL.canParse(text, base) ? new URL(text, base) : null; }
    get searchParams() { return this.#query; }
    get origin() { return this.#parts.origin; }
    toString() { return this.#parts.href; }
    toJSON() { return this.#parts.href; }
    static {
      for (const part of ["href", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"]) {
        Object.defineProperty(URL.prototype, part, {
          enumerable: true,
          configurable: true,
          get() { return this.#parts[part]; },
          set(value) {
            const changed = parseUrl(this.#parts.href, null, [part, String(value)]);
            if (changed) this.#setParts(changed);
            else if (part === "href") throw new TypeError(`Invalid URL: ${value}`);
          },
        });
      }
    }
  }
  define("URL", URL);

  class AbortSignal {
    #listeners = [];
    aborted = false;
    reason = undefined;
    onabort = null;
    addEventListener(type, listener) { if (type === "abort") this.#listeners.push(listener); }
    removeEventListener(type, listener) { this.#listeners = this.#listeners.filter((one) => one !== listener); }
    throwIfAborted() { if (this.aborted) throw this.reason; }
    static abort(reason) { const made = new AbortController(); made.abort(reason); return made.signal; }
    static timeout(milliseconds) {
      const made = new AbortController();
      setTimeout(() => made.abort(new DOMException("the timeout has passed", "TimeoutError")), milliseconds);
      return made.signal;
    }
    static fire(signal, reason) {
      if (signal.aborted) return;
      signal.aborted = true;
      signal.reason = reason ?? new DOMException("it was aborted", "AbortError");
      const event = { type: "abort", target: signal };
      signal.onabort?.(event);
      for (const listener of signal.#listeners) (listener.handleEvent ?? listener).call(signal, event);
    }
  }
  const fire = AbortSignal.fire;
  delete AbortSignal.fire;
  class AbortController {
    signal = new AbortSignal();
    abort(reason) { fire(this.signal, reason); }
  }
  define("AbortSignal", AbortSignal);
  define("AbortController", AbortController);

  class Headers {
    #values = new Map();
    constructor(from = {}) {
      const pairs = typeof from[Symbol.iterator] === "function" ? from : Object.entries(from);
      for (const [name, value] of pairs) this.append(name, value);
    }
    append(name, value) {
      const key = String(name).toLowerCase();
      this.#values.set(key, this.#values.has(key) ? `${this.#values.get(key)}, ${value}` : String(value));
    }
    set(name, value) { this.#values.set(String(name).toLowerCase(), String(value)); }
    get(name) { return this.#values.get(String(name).toLowerCase()) ?? null; }
    has(name) { return this.#values.has(String(name).toLowerCase()); }
    delete(name) { this.#values.delete(String(name).toLowerCase()); }
    forEach(callback, self) { for (const [name, value] of this) callback.call(self, value, name, this); }
    keys() { return this.#values.keys(); }
    values() { return this.#values.values(); }
    entries() { return this.#values.entries(); }
    [Symbol.iterator]() { return this.entries(); }
  }
  define("Headers", Headers);

  class Response {
    #message;
    #used = false;
    constructor(message) {
      this.#message = message;
      this.status = message.status;
      this.statusText = message.statusText;
      this.ok = message.status >= 200 && message.status < 300;
      this.url = message.url;
      this.redirected = message.redirected;
      this.headers = new Headers(message.headers);
    }
    get bodyUsed() { return this.#used; }
    #consumeBody() {
      if (this.#used) throw new TypeError("the body has already been read");
      this.#used = true;
      return this.#message;
    }
    async text() {
      const { body, base64 } = this.#consumeBody();
      return body ?? new TextDecoder().decode(fromBase64(base64));
    }
    async json() { return parse(await this.text()); }
    async bytes() {
      const { body, base64 } = this.#consumeBody();
      return body === undefined ? fromBase64(base64) : new TextEncoder().encode(body);
    }
    async arrayBuffer() { return (await this.bytes()).buffer; }
  }
  define("Response", Response);

  define("fetch", async (resource, { method = "GET", headers = {}, body, redirect = "follow", signal } = {}) => {
    signal?.throwIfAborted();
    const params = { url: String(resource?.url ?? resource), method: String(method), headers: [...new Headers(headers)], redirect };
    if (body instanceof URLSearchParams) {
      params.body = String(body);
      params.headers.unshift(["content-type", "application/x-www-form-urlencoded;charset=UTF-8"]);
    } else if (typeof body === "string") {
      params.body = body;
    } else if (body !== undefined && body !== null) {
      params.base64 = btoa(binary(bytesOf(body)));
    }
    const response = requestHost("net.fetch", params).then(
      (message) => new Response(message),
      (error) => { throw Object.assign(new TypeError(error.message), { code: error.code }); },
    );
    if (!signal) return response;
    return Promise.race([response, new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)))]);
  });

  const clone = (value, seen) => {
    if (typeof value === "function" || typeof value === "symbol") {
      throw new DOMException("a function or symbol cannot be cloned", "DataCloneError");
    }
    if (typeof value !== "object" || value === null) return value;
    if (seen.has(value)) return seen.get(value);
    const keep = (made) => (seen.set(value, made), made);
    if (value instanceof Date) return keep(new Date(value.getTime()));
    if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags));
    if (value instanceof ArrayBuffer) return keep(value.slice(0));
    if (value instanceof DataView) return keep(new DataView(clone(value.buffer, seen), value.byteOffset, value.byteLength));
    if (ArrayBuffer.isView(value)) {
      return keep(new value.constructor(clone(value.buffer, seen), value.byteOffset, value.length));
    }
    if (value instanceof Map) {
      const made = keep(new Map());
      for (const [key, one] of value) made.set(clone(key, seen), clone(one, seen));
      return made;
    }
    if (value instanceof Set) {
      const made = keep(new Set());
      for (const one of value) made.add(clone(one, seen));
      return made;
    }
    if (value instanceof Error) return keep(Object.assign(new Error(value.message), { name: value.name, stack: value.stack }));
    const made = keep(Array.isArray(value) ? [] : {});
    for (const key of Object.keys(value)) made[key] = clone(value[key], seen);
    return made;
  };
  define("structuredClone", (value) => clone(value, new Map()));

  return {
    deliver: (text) => {
      const at = text.indexOf("\n");
      currentCall = parse(text.slice(0, at));
      lines.push({ line: text.slice(at + 1), call: currentCall });
      if (lineReaders.length) lineReaders.shift()(takeLine());
    },
    settleHostRequest: (text) => {
      const { id, result, error } = parse(text);
      const request = requests.get(id);
      requests.delete(id);
      currentCall = request?.call ?? null;
      if (error) request?.reject(new HostError(error));
      else request?.resolve(result);
    },
    // Milliseconds until the next timer, 0 when one is due; -1 when it waits for the host, -2 when only for a line.
    nextTimeout: () => {
      if (!timers.size) return requests.size ? -1 : -2;
      let due = Infinity;
      for (const timer of timers.values()) due = Math.min(due, timer.due);
      return Math.max(0, due - now());
    },
    // Runs the timer that is due first, if one is.
    runTimers: () => {
      let first;
      for (const [id, timer] of timers) if (timer.due <= now() && !(timer.due >= first?.timer.due)) first = { id, timer };
      if (!first) return;
      const { id, timer } = first;
      if (timer.every === null) timers.delete(id);
      else timer.due = now() + timer.every;
      currentCall = timer.call;
      timer.callback(...timer.values);
    },
  };
})();
