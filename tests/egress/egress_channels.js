// Every way that a page has to reach another host. Each one goes to a host named after it, so that the proxy's log and
// the sink tell which ones were tried and which arrived. `domain`, `port` and `sink` are set by the page.

const host = (way) => `${way}.${domain}:${port}`;
const url = (way, scheme = "http") => `${scheme}://${host(way)}/`;
const add = (html) => document.body.insertAdjacentHTML("beforeend", html);
const element = (tag, attributes) => document.body.appendChild(Object.assign(document.createElement(tag), attributes));
const frame = (source) => element("iframe", { srcdoc: source });
const script = (text) => new Blob([text], { type: "text/javascript" });
const rules = (json) => {
  const tag = document.createElement("script");
  tag.type = "speculationrules";
  tag.textContent = JSON.stringify(json);
  document.head.append(tag);
};
const style = (text) => (document.head.appendChild(document.createElement("style")).textContent = text);

const ways = {
  // Subresources of markup
  img: (way) => add(`<img src="${url(way)}">`),
  srcset: (way) => add(`<img srcset="${url(way)} 1x">`),
  picture: (way) => add(`<picture><source srcset="${url(way)}"><img></picture>`),
  script: (way) => element("script", { src: url(way) }),
  module: (way) => element("script", { type: "module", src: url(way) }),
  object: (way) => add(`<object data="${url(way)}"></object>`),
  embed: (way) => add(`<embed src="${url(way)}">`),
  iframe: (way) => add(`<iframe src="${url(way)}"></iframe>`),
  video: (way) => add(`<video src="${url(way)}" autoplay muted></video>`),
  audio: (way) => add(`<audio src="${url(way)}" preload="auto"></audio>`),
  poster: (way) => add(`<video poster="${url(way)}"></video>`),
  track: (way) => {
    const video = element("video", { crossOrigin: "anonymous" });
    const track = video.appendChild(Object.assign(document.createElement("track"), { src: url(way), default: true }));
    track.track.mode = "showing";
  },
  inputimage: (way) => add(`<input type="image" src="${url(way)}">`),
  background: (way) => document.body.setAttribute("background", url(way)),
  svgimage: (way) => add(`<svg><image href="${url(way)}"/></svg>`),
  svgfilter: (way) => add(`<svg><filter><feImage href="${url(way)}"/></filter></svg>`),
  // Style sheets
  stylesheet: (way) => add(`<link rel="stylesheet" href="${url(way)}">`),
  import: (way) => style(`@import url(${url(way)});`),
  cssimage: (way) => add(`<p style="background: url(${url(way)})">x</p>`),
  cssimageset: (way) => add(`<p style="background-image: image-set('${url(way)}' 1x)">x</p>`),
  font: (way) => {
    style(`@font-face { font-family: leak; src: url(${url(way)}); } body { font-family: leak; }`);
    document.fonts.load("16px leak").catch(() => {});
  },
  fontface: (way) => new FontFace("leak2", `url(${url(way)})`).load().catch(() => {}),
  cursor: (way) => {
    style(`html { cursor: url(${url(way)}), auto; }`);
    document.documentElement.dispatchEvent(new MouseEvent("mousemove", { bubbles: true }));
  },
  // Links
  icon: (way) => add(`<link rel="icon" href="${url(way)}">`),
  manifest: (way) => add(`<link rel="manifest" href="${url(way)}">`),
  prefetch: (way) => add(`<link rel="prefetch" href="${url(way)}">`),
  preload: (way) => add(`<link rel="preload" as="image" href="${url(way)}">`),
  modulepreload: (way) => add(`<link rel="modulepreload" href="${url(way)}">`),
  prerender: (way) => add(`<link rel="prerender" href="${url(way)}">`),
  preconnect: (way) => add(`<link rel="preconnect" href="${url(way)}">`),
  dnsprefetch: (way) => add(`<link rel="dns-prefetch" href="//${host(way)}">`),
  speculateprefetch: (way) => rules({ prefetch: [{ urls: [url(way, "https")], eagerness: "immediate" }] }),
  speculateprerender: (way) => rules({ prerender: [{ urls: [url(way, "https")], eagerness: "immediate" }] }),
  // Requests of scripts
  fetch: (way) => fetch(url(way)),
  fetchnocors: (way) => fetch(url(way), { method: "POST", mode: "no-cors", body: "x" }),
  fetchkeepalive: (way) => fetch(url(way), { keepalive: true, mode: "no-cors" }),
  fetchhttps: (way) => fetch(url(way, "https"), { mode: "no-cors" }),
  fetchlater: (way) => globalThis.fetchLater?.(url(way, "https"), { activateAfter: 0 }),
  xhr: (way) => {
    const request = new XMLHttpRequest();
    request.open("GET", url(way));
    request.send();
  },
  beacon: (way) => navigator.sendBeacon(url(way), "x"),
  eventsource: (way) => new EventSource(url(way)),
  dynamicimport: (way) => import(url(way)),
  websocket: (way) => new WebSocket(url(way, "ws")),
  websockettls: (way) => new WebSocket(url(way, "wss")),
  websocketstream: (way) => globalThis.WebSocketStream && new WebSocketStream(url(way, "ws")).opened,
  webtransport: (way) => globalThis.WebTransport && new WebTransport(url(way, "https")).ready,
  stun: (way) => connectPeers(`stun:${host(way)}`),
  stunaddress: () => connectPeers(`stun:127.0.0.2:${sink}`),
  turntcp: (way) => connectPeers(`turn:${host(way)}?transport=tcp`),
  address: () => fetch(`http://127.0.0.2:${sink}/`, { mode: "no-cors" }),
  addressdecimal: () => fetch(`http://2130706434:${sink}/`, { mode: "no-cors" }),
  addressmapped: () => fetch(`http://[::ffff:127.0.0.2]:${sink}/`, { mode: "no-cors" }),
  metadata: () => fetch("http://169.254.169.254/latest/meta-data/", { mode: "no-cors" }),
  // Workers
  worker: (way) => new Worker(URL.createObjectURL(script(`fetch("${url(way)}")`))),
  workerimport: (way) => new Worker(URL.createObjectURL(script(`importScripts("${url(way)}")`))),
  workerwebsocket: (way) => new Worker(URL.createObjectURL(script(`new WebSocket("${url(way, "ws")}")`))),
  sharedworker: (way) => new SharedWorker(URL.createObjectURL(script(`fetch("${url(way)}")`))),
  serviceworker: async (way) => {
    await navigator.serviceWorker.register(`/worker.js?${encodeURIComponent(url(way))}`);
    await navigator.serviceWorker.ready;
  },
  workermodule: (way) => new Worker(URL.createObjectURL(script(`import "${url(way)}"`)), { type: "module" }),
  sharedworkersocket: (way) => new SharedWorker(URL.createObjectURL(script(`new WebSocket("${url(way, "ws")}")`))),
  paintworklet: (way) => CSS.paintWorklet?.addModule(url(way)),
  audioworklet: (way) => new OfflineAudioContext(1, 1, 44100).audioWorklet.addModule(url(way)),
  // Navigations
  location: (way) => frame(`<script>location = "${url(way)}"</script>`),
  formget: (way) => frame(`<form action="${url(way)}"></form><script>document.forms[0].submit()</script>`),
  formpost: (way) => frame(`<form action="${url(way)}" method="post"></form><script>document.forms[0].submit()</script>`),
  formtarget: (way) => {
    add(`<form action="${url(way)}" method="post" target="_blank"></form>`);
    document.forms[document.forms.length - 1].submit();
  },
  metarefresh: (way) => frame(`<meta http-equiv="refresh" content="0; url=${url(way)}">`),
  popup: (way) => open(url(way), "_blank"),
  popupblank: (way) => {
    const popup = open("about:blank");
    if (popup) popup.location = url(way);
  },
  link: (way) => Object.assign(document.createElement("a"), { href: url(way), target: "_blank" }).click(),
  download: (way) => frame(`<a download href="${url(way)}">x</a><script>document.links[0].click()</script>`),
  ping: (way) => element("a", { href: "#x", ping: url(way) }).click(),
  javascript: (way) => add(`<iframe src="javascript:location='${url(way)}'"></iframe>`),
  datapage: (way) => add(`<iframe src='data:text/html,<img src="${url(way)}">'></iframe>`),
  // What an allowed server can send
  redirect301: (way) => fetch(`/redirect/301?${url(way)}`, { mode: "no-cors" }),
  redirect302: (way) => add(`<img src="/redirect/302?${url(way)}">`),
  redirect303: (way) => add(`<iframe src="/redirect/303?${url(way)}"></iframe>`),
  redirect307: (way) => fetch(`/redirect/307?${url(way)}`, { method: "POST", mode: "no-cors", body: "x" }),
  redirect308: (way) => element("script", { src: `/redirect/308?${url(way)}` }),
  refreshheader: (way) => add(`<iframe src="/header/Refresh?0;url=${url(way)}"></iframe>`),
  linkheader: (way) => add(`<iframe src="/header/Link?<${url(way)}>;rel=preload;as=image"></iframe>`),
  policyreport: (way) => add(`<iframe src="/policy?img-src 'none'; report-uri ${url(way)}"></iframe>`),
};

async function connectPeers(server) {
  const peer = new RTCPeerConnection({ iceServers: [{ urls: server, username: "u", credential: "c" }] });
  peer.createDataChannel("x");
  await peer.setLocalDescription(await peer.createOffer());
}

/** Try every way; gives the ones that could not even be tried. */
globalThis.tryAll = async () => {
  const failed = [];
  const tries = Object.entries(ways).map(async ([way, attempt]) => {
    try {
      const outcome = attempt(way);
      // A way that never answers must not hold up the others.
      const patience = new Promise((resolve) => setTimeout(resolve, 3000));
      if (outcome instanceof Promise) await Promise.race([outcome.catch(() => {}), patience]);
    } catch (error) {
      failed.push(`${way}: ${error}`);
    }
  });
  await Promise.all(tries);
  return { tried: Object.keys(ways), failed };
};
