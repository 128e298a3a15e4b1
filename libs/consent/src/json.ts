/** A JSON value, read-only all the way down. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A JSON Pointer (RFC 6901). Half a surrogate pair in a name shows as U+FFFD: a path can be printed anywhere. */
export const pointerTo = (path: readonly (string | number)[]): string =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1').replace(LONE_SURROGATES, '\ufffd')}`).join('');

const LONE_SURROGATES = /\p{Surrogate}/gu;

export const hasLoneSurrogate = (text: string): boolean => LONE_SURROGATE.test(text);
const LONE_SURROGATE = /\p{Surrogate}/u;
