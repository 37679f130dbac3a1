const place = 'agp-console-reloaded';
/** A second failure this soon after a reload is not an update, in milliseconds. */
const pauseMs = 30_000;

/** After an update the files that this page would still load are gone: it loads itself again, once. */
export function reloadWhenUpdated(): void {
  window.addEventListener('vite:preloadError', () => {
    try {
      if (Date.now() - Number(sessionStorage.getItem(place)) < pauseMs) return;
      sessionStorage.setItem(place, String(Date.now()));
    } catch {
      // Without storage we could not tell a second time from the first.
      return;
    }
    window.location.reload();
  });
}
