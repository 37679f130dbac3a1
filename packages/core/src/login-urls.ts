/** The URL of a server, or what reads it anew for each connection. Several, one a line, differ in their login alone. */
export type ServerUrl = string | (() => string);

/** The URLs of one, without empty lines. */
export const splitLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** Which of a server's logins to use. While a password is changed there are two of which one works: the old one and the new one. */
export class LoginUrls {
  readonly #read: () => string;
  #chosen = '';

  constructor(url: ServerUrl) {
    this.#read = typeof url === 'string' ? () => url : url;
  }

  /** The one that was not refused last; the first in the beginning. */
  choose(): string {
    const urls = splitLines(this.#read());
    if (!urls.includes(this.#chosen)) this.#chosen = urls[0] ?? '';
    return this.#chosen;
  }

  /** The server refused this one's login: the next is chosen. Connections that were refused together count once. */
  refuse(url: string): void {
    const urls = splitLines(this.#read());
    if (url === this.#chosen) this.#chosen = urls[(urls.indexOf(url) + 1) % urls.length] ?? '';
  }
}
