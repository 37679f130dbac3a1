/** The country codes of the telephone network (ITU E.164), at the start of a number's digits. */
export const callingCode =
  /^(?:1|7|2(?:0|7|1[12368]|[23]\d|4\d|5[0-8]|6\d|9[01789])|3(?:[0-469]|5\d|7[0-8]|8[0-35-7])|4(?:[013-9]|2[013])|5(?:[1-8]|0\d|9\d)|6(?:[0-6]|7[02-9]|8[0-35-9]|9[0-2])|8(?:[1246]|0[08]|5[02356]|7[08]|8[0-368])|9(?:[0-58]|6[0-8]|7[0-7]|9[2-68]))/;

/**
 * Whether digits can be an international number, country code first: 8 to 15 of them. North American and Russian ones have a fixed
 * length, which excludes most sums and ids that follow a plus.
 */
export function isInternational(digits: string): boolean {
  if (digits.length < 8 || digits.length > 15 || !callingCode.test(digits)) return false;
  return (digits[0] !== '1' && digits[0] !== '7') || digits.length === 11;
}
