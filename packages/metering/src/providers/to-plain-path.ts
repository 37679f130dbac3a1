const models = /(?:\/|%2f)(models|tunedModels)(?:\/|%2f)/gi;

/** Undoes the escapes that some clients write in a path: of the colon before a verb, and of the slashes of `models/{model}`. */
export function toPlainPath(path: string): string {
  return path.includes('%') ? path.replace(/%3a/gi, ':').replace(models, '/$1/') : path;
}

/** A name in a path, such as that of a model, without its escapes. */
export function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
