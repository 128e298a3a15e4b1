/**
 * A frozen copy of what JSON will carry to the tool, so that a rule judges what is sent and nobody changes it afterwards.
 * @throws TypeError for what JSON would leave out or turn into something else; RangeError for a cycle.
 */
export const judgedCopy = (args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  if (!isPlain(args)) throw new TypeError('Arguments are a plain object.');
  return copyOf(args) as Readonly<Record<string, unknown>>;
};

function copyOf(value: unknown): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) return value;
  if (Array.isArray(value)) return Object.freeze(Array.from(value, copyOf));
  if (!isPlain(value)) throw new TypeError('Only plain objects, arrays, texts, finite numbers, booleans and null are arguments.');
  // An absent property and one whose value is undefined are the same to JSON. A property named `__proto__` stays one.
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.freeze(Object.fromEntries(entries.map(([name, item]) => [name, copyOf(item)])));
}

/** Also of another realm: nothing is inherited but what every object has. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
