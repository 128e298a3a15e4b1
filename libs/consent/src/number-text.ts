/** Integers of at most 15 digits are doubles. */
const SHORT_INTEGER = /^-?\d{1,15}$/;
const PARTS = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Whether parsing a JSON number changes the number its text says (N4): a double is written with the fewest digits that name
 * it, and those have to be the same decimal. So `0.1`, `1.50`, `1e23` are kept; `9007199254740993`, `1e400`, `1e-400` and
 * digits past the seventeenth are not.
 * @param text a number as JSON's grammar has it.
 */
export function isNumberKept(text: string): boolean {
  if (SHORT_INTEGER.test(text)) return true;
  const value = Number(text);
  return Number.isFinite(value) && decimalOf(text) === decimalOf(String(value));
}

/** `<digits>e<exponent>` without a sign and without zeros at either end, the same for every spelling of one decimal; zero is ``. */
function decimalOf(text: string): string {
  const [, whole = '', fraction = '', exponent = '0'] = PARTS.exec(text) ?? [];
  const digits = whole + fraction;
  let start = 0;
  let end = digits.length;
  while (start < end && digits[start] === '0') start++;
  while (end > start && digits[end - 1] === '0') end--;
  return start === end ? '' : `${digits.slice(start, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}
