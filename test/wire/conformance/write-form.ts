import type { Form } from './cell.ts';

const boundary = '----conformance7MA4YWxkTrZu0gW';

/** A form of text fields with a file behind them, as browsers and SDKs write one. */
export function writeForm(
  fields: Record<string, string>,
  file: { name: string; filename: string; type: string; content: Buffer },
): Form {
  const texts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const head = `Content-Disposition: form-data; name="${file.name}"; filename="${file.filename}"`;
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    bytes: Buffer.concat([
      Buffer.from(`${texts.join('')}--${boundary}\r\n${head}\r\nContent-Type: ${file.type}\r\n\r\n`),
      file.content,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]),
  };
}
