/** The value that a JSON text stands for; a text that is no JSON as it is, for whoever checks it to refuse. */
export function fromJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
