// Every channel by which a page can reach another host. Each one uses a host named after it, so that the proxy's log and
// the sink show which were tried and which arrived. `domain`, `port` and `sink` are set by the page.

const host = (channel) => `${channel}.${domain}:${port}`;
const url = (channel, scheme = "http") => `${scheme}://${host(channel)}/`;
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

const channels = {
  // Subresources of markup
  img: (channel) => add(`<img src="${url(channel)}">`),
  srcset: (channel) => add(`<img srcset="${url(channel)} 1x">`),
  picture: (channel) => add(`<picture><source srcset="${url(channel)}"><img></picture>`),
  script: (channel) => element("script", { src: url(channel) }),
  module: (channel) => element("script", { type: "module", src: url(channel) }),
  object: (channel) => add(`<object data="${url(channel)}"></object>`),
  embed: (channel) => add(`<embed src="${url(channel)}">`),
  iframe: (channel) => add(`<iframe src="${url(channel)}"></iframe>`),
  video: (channel) => add(`<video src="${url(channel)}" autoplay muted></video>`),
  audio: (channel) => add(`<audio src="${url(channel)}" preload="auto"></audio>`),
  poster: (channel) => add(`<video poster="${url(channel)}"></video>`),
  track: (channel) => {
    const video = element("video", { crossOrigin: "anonymous" });
    const track = video.appendChild(Object.assign(document.createElement("track"), { src: url(channel), default: true }));
    track.track.mode = "showing";
  },
  inputimage: (channel) => add(`<input type="image" src="${url(channel)}">`),
  background: (channel) => document.body.setAttribute("background", url(channel)),
  svgimage: (channel) => add(`<svg><image href="${url(channel)}"/></svg>`),
  svgfilter: (channel) => add(`<svg><filter><feImage href="${url(channel)}"/></filter></svg>`),
  // Style sheets
  stylesheet: (channel) => add(`<link rel="stylesheet" href="${url(channel)}">`),
  import: (channel) => style(`@import url(${url(channel)});`),
  cssimage: (channel) => add(`<p style="background: url(${url(channel)})">x</p>`),
  cssimageset: (channel) => add(`<p style="background-image: image-set('${url(channel)}' 1x)">x</p>`),
  font: (channel) => {
    style(`@font-face { font-family: leak; src: url(${url(channel)}); } body { font-family: leak; }`);
    document.fonts.load("16px leak").catch(() => {});
  },
  fontface: (channel) => new FontFace("leak2", `url(${url(channel)})`).load().catch(() => {}),
  cursor: (channel) => {
    style(`html { cursor: url(${url(channel)}), auto; }`);
    document.documentElement.dispatchEvent(new MouseEvent("mousemove", { bubbles: true }));
  },
  // Links
  icon: (channel) => add(`<link rel="icon" href="${url(channel)}">`),
  manifest: (channel) => add(`<link rel="manifest" href="${url(channel)}">`),
  prefetch: (channel) => add(`<link rel="prefetch" href="${url(channel)}">`),
  preload: (channel) => add(`<link rel="preload" as="image" href="${url(channel)}">`),
  modulepreload: (channel) => add(`<link rel="modulepreload" href="${url(channel)}">`),
  prerender: (channel) => add(`<link rel="prerender" href="${url(channel)}">`),
  preconnect: (channel) => add(`<link rel="preconnect" href="${url(channel)}">`),
  dnsprefetch: (channel) => add(`<link rel="dns-prefetch" href="//${host(channel)}">`),
  speculateprefetch: (channel) => rules({ prefetch: [{ urls: [url(channel, "https")], eagerness: "immediate" }] }),
  speculateprerender: (channel) => rules({ prerender: [{ urls: [url(channel, "https")], eagerness: "immediate" }] }),
  // Requests of scripts
  fetch: (channel) => fetch(url(channel)),
  fetchnocors: (channel) => fetch(url(channel), { method: "POST", mode: "no-cors", body: "x" }),
  fetchkeepalive: (channel) => fetch(url(channel), { keepalive: true, mode: "no-cors" }),
  fetchhttps: (channel) => fetch(url(channel, "https"), { mode: "no-cors" }),
  fetchlater: (channel) => globalThis.fetchLater?.(url(channel, "https"), { activateAfter: 0 }),
  xhr: (channel) => {
    const request = new XMLHttpRequest();
    request.open("GET", url(channel));
    request.send();
  },
  beacon: (channel) => navigator.sendBeacon(url(channel), "x"),
  eventsource: (channel) => new EventSource(url(channel)),
  dynamicimport: (channel) => import(url(channel)),
  websocket: (channel) => new WebSocket(url(channel, "ws")),
  websockettls: (channel) => new WebSocket(url(channel, "wss")),
  websocketstream: (channel) => globalThis.WebSocketStream && new WebSocketStream(url(channel, "ws")).opened,
  webtransport: (channel) => globalThis.WebTransport && new WebTransport(url(channel, "https")).ready,
  stun: (channel) => connectPeers(`stun:${host(channel)}`),
  stunaddress: () => connectPeers(`stun:127.0.0.2:${sink}`),
  turntcp: (channel) => connectPeers(`turn:${host(channel)}?transport=tcp`),
  address: () => fetch(`http://127.0.0.2:${sink}/`, { mode: "no-cors" }),
  addressdecimal: () => fetch(`http://2130706434:${sink}/`, { mode: "no-cors" }),
  addressmapped: () => fetch(`http://[::ffff:127.0.0.2]:${sink}/`, { mode: "no-cors" }),
  metadata: () => fetch("http://169.254.169.254/latest/meta-data/", { mode: "no-cors" }),
  // Workers
  worker: (channel) => new Worker(URL.createObjectURL(script(`fetch("${url(channel)}")`))),
  workerimport: (channel) => new Worker(URL.createObjectURL(script(`importScripts("${url(channel)}")`))),
  workerwebsocket: (channel) => new Worker(URL.createObjectURL(script(`new WebSocket("${url(channel, "ws")}")`))),
  sharedworker: (channel) => new SharedWorker(URL.createObjectURL(script(`fetch("${url(channel)}")`))),
  serviceworker: async (channel) => {
    await navigator.serviceWorker.register(`/worker.js?${encodeURIComponent(url(channel))}`);
    await navigator.serviceWorker.ready;
  },
  workermodule: (channel) => new Worker(URL.createObjectURL(script(`import "${url(channel)}"`)), { type: "module" }),
  sharedworkersocket: (channel) => new SharedWorker(URL.createObjectURL(script(`new WebSocket("${url(channel, "ws")}")`))),
  paintworklet: (channel) => CSS.paintWorklet?.addModule(url(channel)),
  audioworklet: (channel) => new OfflineAudioContext(1, 1, 44100).audioWorklet.addModule(url(channel)),
  // Navigations
  location: (channel) => frame(`<script>location = "${url(channel)}"</script>`),
  formget: (channel) => frame(`<form action="${url(channel)}"></form><script>document.forms[0].submit()</script>`),
  formpost: (channel) => frame(`<form action="${url(channel)}" method="post"></form><script>document.forms[0].submit()</script>`),
  formtarget: (channel) => {
    add(`<form action="${url(channel)}" method="post" target="_blank"></form>`);
    document.forms[document.forms.length - 1].submit();
  },
  metarefresh: (channel) => frame(`<meta http-equiv="refresh" content="0; url=${url(channel)}">`),
  popup: (channel) => open(url(channel), "_blank"),
  popupblank: (channel) => {
    const popup = open("about:blank");
    if (popup) popup.location = url(channel);
  },
  link: (channel) => Object.assign(document.createElement("a"), { href: url(channel), target: "_blank" }).click(),
  download: (channel) => frame(`<a download href="${url(channel)}">x</a><script>document.links[0].click()</script>`),
  ping: (channel) => element("a", { href: "#x", ping: url(channel) }).click(),
  javascript: (channel) => add(`<iframe src="javascript:location='${url(channel)}'"></iframe>`),
  datapage: (channel) => add(`<iframe src='data:text/html,<img src="${url(channel)}">'></iframe>`),
  // What an allowed server can send
  redirect301: (channel) => fetch(`/redirect/301?${url(channel)}`, { mode: "no-cors" }),
  redirect302: (channel) => add(`<img src="/redirect/302?${url(channel)}">`),
  redirect303: (channel) => add(`<iframe src="/redirect/303?${url(channel)}"></iframe>`),
  redirect307: (channel) => fetch(`/redirect/307?${url(channel)}`, { method: "POST", mode: "no-cors", body: "x" }),
  redirect308: (channel) => element("script", { src: `/redirect/308?${url(channel)}` }),
  refreshheader: (channel) => add(`<iframe src="/header/Refresh?0;url=${url(channel)}"></iframe>`),
  linkheader: (channel) => add(`<iframe src="/header/Link?<${url(channel)}>;rel=preload;as=image"></iframe>`),
  policyreport: (channel) => add(`<iframe src="/policy?img-src 'none'; report-uri ${url(channel)}"></iframe>`),
};

async function connectPeers(server) {
  const peer = new RTCPeerConnection({ iceServers: [{ urls: server, username: "u", credential: "c" }] });
  peer.createDataChannel("x");
  await peer.setLocalDescription(await peer.createOffer());
}

/** Try every channel; returns those that were tried and those that failed to start. */
globalThis.tryAll = async () => {
  const failed = [];
  const tries = Object.entries(channels).map(async ([channel, attempt]) => {
    try {
      const outcome = attempt(channel);
      // A channel without a result must not delay the others.
      const timeout = new Promise((resolve) => setTimeout(resolve, 3000));
      if (outcome instanceof Promise) await Promise.race([outcome.catch(() => {}), timeout]);
    } catch (error) {
      failed.push(`${channel}: ${error}`);
    }
  });
  await Promise.all(tries);
  return { tried: Object.keys(channels), failed };
};
