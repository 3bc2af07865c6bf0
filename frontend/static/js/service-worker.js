// The service worker. It shows notices that come by Web Push, and opens what they are about. It keeps no page, no
// script and no answer of the server: what a tab shows always comes from the server. Only if that cannot be reached, it
// shows OFFLINE, a page without anything of a game, which the server writes before these lines.
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  if (event.request.mode !== "navigate" || event.request.method !== "GET") return;
  event.respondWith(
    fetch(event.request).catch(
      () => new Response(OFFLINE, { headers: { "Content-Type": "text/html; charset=utf-8" } }),
    ),
  );
});

self.addEventListener("push", (event) => {
  const notice = event.data ? event.data.json() : {};
  const shown = { body: notice.body, tag: notice.tag, icon: ICON, badge: ICON, data: { url: notice.url } };
  event.waitUntil(self.registration.showNotification(notice.title ?? "Scorebook", shown));
});

// The tab that shows what the notice is about comes to the front; without one, a new tab opens.
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const address = new URL(event.notification.data?.url ?? "/", self.location.origin);
  if (address.origin !== self.location.origin) return;
  event.waitUntil(
    self.clients.matchAll({ type: "window", includeUncontrolled: true }).then((tabs) => {
      const open = tabs.find((tab) => new URL(tab.url).pathname === address.pathname);
      return open ? open.focus() : self.clients.openWindow(address.href);
    }),
  );
});
