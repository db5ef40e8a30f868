// Writes a mark into every kind of storage of a page, and returns the marks that it finds there.

/** @param {IDBRequest | IDBOpenDBRequest} request @returns {Promise<any>} */
const done = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** @returns {Promise<IDBDatabase>} */
const database = () => {
  const request = indexedDB.open("marks", 1);
  request.onupgradeneeded = () => request.result.createObjectStore("marks");
  return done(request);
};

const received = [];
const channel = new BroadcastChannel("marks");
channel.onmessage = (event) => received.push(event.data);

/** @param {string} mark */
const sendToWorker = (mark) =>
  new Promise((resolve) => {
    const worker = new SharedWorker("/worker.js");
    worker.port.onmessage = (event) => resolve(event.data);
    worker.port.postMessage(mark);
  });

const kinds = {
  cookies: {
    put: (mark) => (document.cookie = `${mark}=1`),
    get: () => document.cookie.split("; ").map((pair) => pair.split("=")[0]),
  },
  localStorage: { put: (mark) => localStorage.setItem(mark, "1"), get: () => Object.keys(localStorage) },
  sessionStorage: { put: (mark) => sessionStorage.setItem(mark, "1"), get: () => Object.keys(sessionStorage) },
  indexedDB: {
    put: async (mark) =>
      done((await database()).transaction("marks", "readwrite").objectStore("marks").put(1, mark)),
    get: async () => done((await database()).transaction("marks").objectStore("marks").getAllKeys()),
  },
  caches: {
    put: async (mark) => (await caches.open(mark)).put("/x", new Response("1")),
    get: () => caches.keys(),
  },
  files: {
    put: async (mark) => (await navigator.storage.getDirectory()).getFileHandle(mark, { create: true }),
    get: async () => {
      const names = [];
      for await (const name of (await navigator.storage.getDirectory()).keys()) names.push(name);
      return names;
    },
  },
  serviceWorkers: {
    put: async (mark) => navigator.serviceWorker.register("/service.js", { scope: `/${mark}/` }),
    get: async () =>
      (await navigator.serviceWorker.getRegistrations()).map((one) => new URL(one.scope).pathname.replaceAll("/", "")),
  },
  sharedWorkers: { put: sendToWorker, get: () => sendToWorker("") },
  channels: { put: (mark) => channel.postMessage(mark), get: () => received },
  locks: {
    put: (mark) =>
      new Promise((resolve) => navigator.locks.request(mark, () => new Promise(() => resolve(mark)))),
    get: async () => (await navigator.locks.query()).held.map((lock) => lock.name),
  },
  httpCache: {
    put: (mark) => fetch(`/cached?${mark}`),
    // A request with only-if-cached succeeds only if the response is in the cache.
    get: async (marks) => {
      const found = marks.map((mark) =>
        fetch(`/cached?${mark}`, { cache: "only-if-cached", mode: "same-origin" }).then(() => mark, () => ""),
      );
      return (await Promise.all(found)).filter(Boolean);
    },
  },
};

window.put = async (mark) => {
  for (const kind of Object.values(kinds)) await kind.put(mark);
};
window.readMarks = async (marks) => {
  const found = {};
  for (const [name, kind] of Object.entries(kinds)) found[name] = await kind.get(marks);
  return found;
};
