const models = /(?:\/|%2f)(models|tunedModels)(?:\/|%2f)/gi;

/** A path with what clients write in two ways in the plain one: the colon before a verb, and the slashes of `models/{model}`. */
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
