import { canDecode } from '@agp/metering';

/**
 * Whether an `Accept-Encoding` allows an encoding that we cannot decode, so that the usage in the answer could not be read.
 */
export function asksUnreadable(acceptEncoding: string): boolean {
  return acceptEncoding.split(',').some((item) => {
    const [coding = '', ...parameters] = item.toLowerCase().split(';');
    const name = coding.trim();
    const isRefused = parameters.some((parameter) => /^\s*q\s*=\s*0(?:\.0*)?\s*$/.test(parameter));
    return name !== '' && name !== 'identity' && !isRefused && !canDecode(name);
  });
}
