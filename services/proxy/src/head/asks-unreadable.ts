import { canDecode } from '@agp/metering';

/**
 * Whether an `Accept-Encoding` asks for an encoding that we do not decode, so that an answer may come in which its figures
 * cannot be found.
 */
export function asksUnreadable(acceptEncoding: string): boolean {
  return acceptEncoding.split(',').some((item) => {
    const [coding = '', ...parameters] = item.toLowerCase().split(';');
    const name = coding.trim();
    const isRefused = parameters.some((parameter) => /^\s*q\s*=\s*0(?:\.0*)?\s*$/.test(parameter));
    return name !== '' && name !== 'identity' && !isRefused && !canDecode(name);
  });
}
