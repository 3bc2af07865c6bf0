// Sends the viewer's time zone to the server once, so that it writes local times. It does nothing if a zone is known,
// for example one that was chosen on /zone/.
(function () {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!zone || /(^|; )zone=/.test(document.cookie)) return;
  document.cookie = `zone=${encodeURIComponent(zone)}; path=/; max-age=31536000; samesite=lax`;
  const kept = /(^|; )zone=/.test(document.cookie);
  if (kept && zone !== document.documentElement.dataset.zone && document.querySelector("main time")) location.reload();
})();
