/** Browsers have WebCrypto only on https pages and on this machine. */
export function NoHashing({ command }: { command: string }) {
  return (
    <div className="banner" data-tone="warn">
      <div>
        This browser computes hashes only on pages that come by https or from this machine. Open the console by https,
        or check it in a terminal: <span className="mono">{command}</span>
      </div>
    </div>
  );
}
