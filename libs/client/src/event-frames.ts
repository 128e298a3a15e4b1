/** One frame of an event stream. */
export interface EventFrame {
  readonly event: string;
  readonly id?: string;
  readonly data: string;
}

/** Reads whole frames; comments keep a stream awake and are none. Ends, or throws, with the body. */
export async function* eventFrames(body: AsyncIterable<Uint8Array>): AsyncGenerator<EventFrame> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    rest += decoder.decode(bytes, { stream: true });
    for (let end = rest.indexOf('\n\n'); end !== -1; end = rest.indexOf('\n\n')) {
      const frame = readFrame(rest.slice(0, end));
      rest = rest.slice(end + 2);
      if (frame) yield frame;
    }
  }
}

function readFrame(text: string): EventFrame | undefined {
  const fields = new Map(
    text.split('\n').map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
    }),
  );
  const [event, id, data] = ['event', 'id', 'data'].map((name) => fields.get(name));
  return event === undefined || data === undefined ? undefined : { event, data, ...(id !== undefined && { id }) };
}
