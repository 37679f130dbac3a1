const parameters = /^multipart\/form-data\s*;\s*boundary=(?:"([\w'()+,./:=?-]{1,70})"|([\w'()+./:=?-]{1,70}))\s*$/i;

/** The only headers of a part, in their only order: servers read anything else in different ways. */
const header =
  /^content-disposition: form-data; name="[^"\\%\r\n]+"(?:; filename="[^"\r\n]*")?(?:\r\ncontent-type: [^\r\n]+)?$/i;
const fileName = /^[^\r\n]*filename=/i;

/** Members of known forms that are files: a file under any other name may be a value to some server. */
const files = /name="(?:image|mask|file)(?:\[\])?"/;

const longestHeader = 1_024;

const isEnd = (bytes: Buffer, at: number) =>
  at === bytes.length || (at + 2 === bytes.length && bytes.toString('latin1', at) === '\r\n');

/**
 * Whether every server reads a form the same way: the boundary occurs nowhere else, such as with other line ends or within a
 * file, and no part has a header that only some servers know.
 */
export function isPlainForm(bytes: Buffer, contentType: string): boolean {
  const found = parameters.exec(contentType.trim());
  const mark = `--${found?.[1] ?? found?.[2]}`;
  if (!found || bytes.indexOf(mark) !== 0) return false;
  for (let at = 0; ; ) {
    const from = at + mark.length;
    if (bytes.toString('latin1', from, from + 2) === '--') return isEnd(bytes, from + 2);
    const head = bytes.toString('latin1', from, from + longestHeader);
    const end = head.indexOf('\r\n\r\n');
    if (!head.startsWith('\r\n') || end < 0) return false;
    const lines = head.slice(2, end);
    if (!header.test(lines) || (fileName.test(lines) && !files.test(lines))) return false;
    at = bytes.indexOf(mark, from);
    if (at < 0 || bytes.toString('latin1', at - 2, at) !== '\r\n') return false;
  }
}
