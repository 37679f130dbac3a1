/** Whether a row of digits adds up by the Luhn formula (ISO/IEC 7812-1). */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    let digit = digits.charCodeAt(digits.length - 1 - index) - 48;
    if (index % 2 === 1) digit = digit > 4 ? 2 * digit - 9 : 2 * digit;
    sum += digit;
  }
  return sum % 10 === 0;
}
