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
  // More markup
  imgeager: (channel) => add(`<img loading="eager" fetchpriority="high" src="${url(channel)}">`),
  imgcrossorigin: (channel) => add(`<img crossorigin="use-credentials" src="${url(channel)}">`),
  imgobject: (channel) => (new Image().src = url(channel)),
  imgdecode: (channel) => Object.assign(new Image(), { src: url(channel) }).decode(),
  imgsizes: (channel) => add(`<img sizes="100px" srcset="${url(channel)} 100w">`),
  imgreferrer: (channel) => add(`<img referrerpolicy="unsafe-url" src="${url(channel)}">`),
  imgtemplate: (channel) => {
    const template = Object.assign(document.createElement("template"), { innerHTML: `<img src="${url(channel)}">` });
    document.body.append(template.content.cloneNode(true));
  },
  imgshadow: (channel) => (element("div", {}).attachShadow({ mode: "closed" }).innerHTML = `<img src="${url(channel)}">`),
  imgadopted: (channel) =>
    document.body.append(document.adoptNode(new DOMParser().parseFromString(`<img src="${url(channel)}">`, "text/html").images[0])),
  imgfragment: (channel) => document.body.append(document.createRange().createContextualFragment(`<img src="${url(channel)}">`)),
  imgwritten: (channel) => frame(`<script>document.write('<img src="${url(channel)}">')<\/script>`),
  imgbase: (channel) => frame(`<base href="${url(channel)}"><img src="relative.png">`),
  picturemedia: (channel) => add(`<picture><source media="all" srcset="${url(channel)} 2x, ${url(channel)} 1x"><img></picture>`),
  scriptasync: (channel) => element("script", { async: true, src: url(channel) }),
  scriptcors: (channel) => element("script", { crossOrigin: "anonymous", integrity: "sha256-x", src: url(channel) }),
  scriptframe: (channel) => frame(`<script src="${url(channel)}"><\/script>`),
  scriptimport: (channel) => element("script", { type: "module", textContent: `import "${url(channel)}"` }),
  scriptdatamodule: (channel) => element("script", { type: "module", src: `data:text/javascript,import "${url(channel)}"` }),
  svgscript: (channel) => frame(`<svg><script href="${url(channel)}"><\/script></svg>`),
  svgstyle: (channel) => add(`<svg><style>@import url(${url(channel)});</style></svg>`),
  svgforeign: (channel) => add(`<svg><foreignObject width=9 height=9><img src="${url(channel)}"></foreignObject></svg>`),
  svgobject: (channel) => add(`<object type="image/svg+xml" data="${url(channel)}"></object>`),
  embedtype: (channel) => add(`<embed type="text/html" src="${url(channel)}">`),
  objectparam: (channel) => add(`<object type="text/html" data="${url(channel)}"></object>`),
  iframesandbox: (channel) => add(`<iframe sandbox src="${url(channel)}"></iframe>`),
  iframecredentialless: (channel) => element("iframe", { credentialless: true, src: url(channel) }),
  iframenested: (channel) => frame(`<iframe srcdoc='<img src="${url(channel)}">'></iframe>`),
  framesetframe: (channel) => frame(`<frameset><frame src="${url(channel)}"></frameset>`),
  videosource: (channel) => add(`<video preload="auto"><source src="${url(channel)}"></video>`),
  audioobject: (channel) => void new Audio(url(channel)).load(),
  audiosource: (channel) => add(`<audio preload="auto"><source src="${url(channel)}"></audio>`),
  tablebackground: (channel) => add(`<table background="${url(channel)}"><tr><td>x</table>`),
  cellbackground: (channel) => add(`<table><tr><td background="${url(channel)}">x</table>`),
  // More style sheets
  csslist: (channel) => add(`<ul style="list-style-image: url(${url(channel)})"><li>x</ul>`),
  cssborder: (channel) => add(`<p style="border: 2px solid; border-image: url(${url(channel)}) 1">x</p>`),
  cssmask: (channel) => add(`<p style="mask-image: url(${url(channel)})">x</p>`),
  cssshape: (channel) => add(`<p style="float: left; width: 9px; height: 9px; shape-outside: url(${url(channel)})">x</p>`),
  cssbefore: (channel) => style(`body::before { content: url(${url(channel)}); }`),
  cssafter: (channel) => style(`body::after { content: ""; background: url(${url(channel)}); position: fixed; width: 1px; height: 1px }`),
  cssvariable: (channel) => add(`<p style="--leak: url(${url(channel)}); background: var(--leak)">x</p>`),
  csslayer: (channel) => style(`@import url(${url(channel)}) layer(x);`),
  csssupports: (channel) => style(`@import url(${url(channel)}) supports(display: block) all;`),
  // Not on the body: a rule there would replace the attribute of `background` before a busy browser has loaded that.
  cssnested: (channel) => style(`section { & { background-image: url(${url(channel)}), none } }`) && add("<section>x</section>"),
  cssmedia: (channel) => style(`@media all { html { background: url(${url(channel)}) } }`),
  csscontainer: (channel) => style(`@supports (display: grid) { mark { background: url(${url(channel)}) } }`) && add("<mark>x</mark>"),
  cssadopted: (channel) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`samp { background: url(${url(channel)}) }`);
    document.adoptedStyleSheets.push(sheet);
    add("<samp>x</samp>");
  },
  cssobject: (channel) => (element("p", { textContent: "x" }).style.backgroundImage = `url("${url(channel)}")`),
  cssanimation: (channel) =>
    style(`@keyframes k { from, to { background-image: url(${url(channel)}) } } main { animation: k 9s } `) && add("<main>x</main>"),
  cssfontrange: (channel) => {
    style(`@font-face { font-family: leak3; src: local(nothing), url(${url(channel)}) format("woff2"); unicode-range: U+41; }`);
    document.fonts.load("16px leak3", "A").catch(() => {});
  },
  stylesheetscript: (channel) => element("link", { rel: "stylesheet", href: url(channel) }),
  stylesheetalternate: (channel) => element("link", { rel: "alternate stylesheet", title: "x", href: url(channel) }),
  stylesheetshadow: (channel) => (element("div", {}).attachShadow({ mode: "open" }).innerHTML = `<link rel=stylesheet href="${url(channel)}">`),
  stylesheetframe: (channel) => frame(`<style>@import "${url(channel)}";</style>`),
  // More links
  preloadscript: (channel) => add(`<link rel="preload" as="script" href="${url(channel)}">`),
  preloadstyle: (channel) => add(`<link rel="preload" as="style" href="${url(channel)}">`),
  preloadfont: (channel) => add(`<link rel="preload" as="font" crossorigin href="${url(channel)}">`),
  preloadfetch: (channel) => add(`<link rel="preload" as="fetch" crossorigin href="${url(channel)}">`),
  preloadsrcset: (channel) => add(`<link rel="preload" as="image" imagesrcset="${url(channel)} 1x">`),
  // More scripts
  fetchpost: (channel) => fetch(url(channel), { method: "POST", mode: "no-cors", body: new URLSearchParams({ a: "1" }) }),
  fetchput: (channel) => fetch(url(channel), { method: "PUT", body: "x" }),
  fetchheader: (channel) => fetch(url(channel), { headers: { "x-leak": "1" } }),
  fetchformdata: (channel) => fetch(url(channel), { method: "POST", mode: "no-cors", body: new FormData() }),
  fetchrequest: (channel) => fetch(new Request(url(channel), { mode: "no-cors", credentials: "include", cache: "no-store" })),
  fetchframe: (channel) => frame(`<script>fetch("${url(channel)}", { mode: "no-cors" })<\/script>`),
  fetchother: (channel) => element("iframe", {}).contentWindow.fetch(url(channel), { mode: "no-cors" }),
  fetchwasm: (channel) => WebAssembly.compileStreaming(fetch(url(channel))),
  xhrpost: (channel) => {
    const request = new XMLHttpRequest();
    request.open("POST", url(channel));
    request.send(new Blob(["x"], { type: "text/plain" }));
  },
  xhrupload: (channel) => {
    const request = new XMLHttpRequest();
    request.upload.onprogress = () => {};
    request.open("POST", url(channel));
    request.send("x");
  },
  beaconblob: (channel) => void navigator.sendBeacon(url(channel), new Blob(["x"], { type: "text/plain" })),
  beaconform: (channel) => void navigator.sendBeacon(url(channel), new URLSearchParams({ a: "1" })),
  eventsourcecredentials: (channel) => void new EventSource(url(channel), { withCredentials: true }),
  websocketprotocol: (channel) => void new WebSocket(url(channel, "ws"), ["a", "b"]),
  workerxhr: (channel) =>
    void new Worker(URL.createObjectURL(script(`const r = new XMLHttpRequest(); r.open("GET", "${url(channel)}", false); r.send()`))),
  workerbeaconfetch: (channel) =>
    void new Worker(URL.createObjectURL(script(`fetch("${url(channel)}", { method: "POST", mode: "no-cors", keepalive: true, body: "x" })`))),
  workereventsource: (channel) => void new Worker(URL.createObjectURL(script(`new EventSource("${url(channel)}")`))),
  workernested: (channel) =>
    void new Worker(URL.createObjectURL(script(
      `new Worker(URL.createObjectURL(new Blob(['fetch("${url(channel)}", { mode: "no-cors" })'])))`,
    ))),
  workerdata: (channel) => void new Worker(`data:text/javascript,fetch("${url(channel)}", { mode: "no-cors" })`),
  xslt: (channel) => {
    const page = `<?xml version="1.0"?><?xml-stylesheet type="text/css" href="${url(channel)}"?><x xmlns="http://www.w3.org/1999/xhtml">x</x>`;
    element("iframe", { src: URL.createObjectURL(new Blob([page], { type: "application/xhtml+xml" })) });
  },
  // More navigations
  blobpage: (channel) => element("iframe", { src: URL.createObjectURL(new Blob([`<img src="${url(channel)}">`], { type: "text/html" })) }),
  locationassign: (channel) => frame(`<script>location.assign("${url(channel)}")<\/script>`),
  locationreplace: (channel) => frame(`<script>location.replace("${url(channel)}")<\/script>`),
  locationlater: (channel) => frame(`<script>setTimeout(() => { location.href = "${url(channel)}" })<\/script>`),
  navigationapi: (channel) => frame(`<script>navigation.navigate("${url(channel)}")<\/script>`),
  framelocation: (channel) => void (element("iframe", {}).contentWindow.location = url(channel)),
  linkframe: (channel) => frame(`<a href="${url(channel)}">x</a><script>document.links[0].click()<\/script>`),
  formplain: (channel) => frame(`<form method=post enctype=text/plain action="${url(channel)}"><input name=a></form><script>document.forms[0].submit()<\/script>`),
  formmultipart: (channel) =>
    frame(`<form method=post enctype=multipart/form-data action="${url(channel)}"><input name=a></form><script>document.forms[0].submit()<\/script>`),
  formaction: (channel) => frame(`<form><button formaction="${url(channel)}">x</button></form><script>document.querySelector("button").click()<\/script>`),
  formrequest: (channel) => frame(`<form action="${url(channel)}"></form><script>document.forms[0].requestSubmit()<\/script>`),
  redirectchain: (channel) => fetch(`/redirect/302?/redirect/301?${url(channel)}`, { mode: "no-cors" }),
  redirectstyle: (channel) => add(`<link rel="stylesheet" href="/redirect/302?${url(channel)}">`),
  redirectworker: (channel) => void new Worker(URL.createObjectURL(script(`fetch("${location.origin}/redirect/302?${url(channel)}", { mode: "no-cors" })`))),
  redirectvideo: (channel) => add(`<video preload="auto" src="/redirect/302?${url(channel)}"></video>`),
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
