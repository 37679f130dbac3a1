import { ProviderFault } from '../provider-fault.ts';

/** The text fields of a form that are there. */
export function readText(form: FormData | null, names: readonly string[]): Record<string, string> {
  const found = names.map((name) => [name, form?.get(name)] as const);
  return Object.fromEntries(found.filter((field): field is [string, string] => typeof field[1] === 'string'));
}

/** @throws ProviderFault if the form has no such file */
export function requireFile(form: FormData | null, name: string): File {
  const file = form?.get(name);
  if (file instanceof File) return file;
  throw new ProviderFault('invalid_request', `${name}: a file in multipart/form-data is required`, name);
}
