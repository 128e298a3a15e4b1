/** One frame of an event stream; its data is JSON. */
export interface EventFrame {
  readonly event: string;
  readonly id?: string;
  readonly data: unknown;
}

/** The frames of a whole stream; comments are left out. */
export function framesOf(text: string): EventFrame[] {
  return text
    .split('\n\n')
    .filter((block) => block.startsWith('event:'))
    .map((block) => {
      const fields = Object.fromEntries(
        block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      );
      return { event: fields.event!, id: fields.id, data: JSON.parse(fields.data!) as unknown };
    });
}
