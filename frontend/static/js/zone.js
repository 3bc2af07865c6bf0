// Tells the server the viewer's time zone, once, so that it can write times as the viewer reads them.
// A zone chosen on /zone/ stays: this only acts where no zone is known yet.
(function () {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!zone || /(^|; )zone=/.test(document.cookie)) return;
  document.cookie = `zone=${encodeURIComponent(zone)}; path=/; max-age=31536000; samesite=lax`;
  const kept = /(^|; )zone=/.test(document.cookie);
  if (kept && zone !== document.documentElement.dataset.zone && document.querySelector("main time")) location.reload();
})();
