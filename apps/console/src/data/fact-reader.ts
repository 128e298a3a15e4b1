/** What pages need to know of a fact: its kind, and where it lies. */
export interface Note {
  readonly type: string;
  /** `topic:partition:offset` */
  readonly position: string;
  /** ISO time of the log. */
  readonly at: string;
}

interface FactDocument {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly at: string;
  readonly event?: { readonly type: string };
  readonly type?: string;
}

export interface Frames {
  readonly notes: readonly Note[];
  /** Of the last frame. */
  readonly id?: string;
}

/** Reads server-sent events as their text comes, in whatever pieces. */
export class FactReader {
  #rest = '';

  read(text: string): Frames {
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop()!;
    const notes: Note[] = [];
    let id: string | undefined;
    for (const block of blocks) {
      let data: string | undefined;
      for (const line of block.split('\n')) {
        if (line.startsWith('id: ')) id = line.slice(4);
        else if (line.startsWith('data: ')) data = line.slice(6);
      }
      if (data !== undefined) notes.push(noteOf(JSON.parse(data) as FactDocument));
    }
    return { notes, ...(id !== undefined && { id }) };
  }
}

const noteOf = ({ topic, partition, offset, at, event, type }: FactDocument): Note => ({
  type: event?.type ?? type ?? '',
  position: `${topic}:${partition}:${offset}`,
  at,
});
