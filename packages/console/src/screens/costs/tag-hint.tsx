/** What a compliance tag is: only callers and agents set it. */
export function TagHint() {
  return (
    <p className="dim small" style={{ margin: 0 }}>
      A compliance tag says what a call is for, such as a team or a project. Teams send it as the header{' '}
      <span className="mono">X-Compliance-Tag</span>; <span className="mono">compliance_tag</span> in an agent’s
      metadata wins; calls with neither have <span className="mono">default</span>. <a href="/docs">API reference</a>
    </p>
  );
}
