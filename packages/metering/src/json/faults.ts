const short: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

export function undoEscapes(text: string): string {
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_, hex: string | undefined, char = '') =>
    hex === undefined ? (short[char] ?? char) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function visitLiterals(json: string, visit: (start: number, end: number) => void): void {
  for (let start = json.indexOf('"'); start >= 0; ) {
    let end = json.indexOf('"', start + 1);
    while (end > 0 && isEscaped(json, end)) end = json.indexOf('"', end + 1);
    if (end < 0) return;
    visit(start, end + 1);
    start = json.indexOf('"', end + 1);
  }
}

/** An odd number of backslashes before a quote makes it part of the string. */
function isEscaped(json: string, at: number): boolean {
  let before = at - 1;
  while (json[before] === '\\') before--;
  return (at - before) % 2 === 0;
}

function visitValue(root: unknown, visit: (text: string) => void): void {
  const stack = [root];
  while (stack.length > 0) {
    const value = stack.pop();
    if (typeof value === 'string') visit(value);
    else if (typeof value === 'object' && value !== null) {
      if (!Array.isArray(value)) for (const key of Object.keys(value)) visit(key);
      for (const member of Array.isArray(value) ? value : Object.values(value)) stack.push(member);
    }
  }
}

/** Whether JSON gives a member twice: a provider may read the first. */
export function hasRepeatedMember(json: string, value: unknown): boolean {
  let written = 0;
  let kept = 0;
  visitLiterals(json, () => {
    written += 1;
  });
  visitValue(value, () => {
    kept += 1;
  });
  return written !== kept;
}
