import type { Fields } from '../wire/asked.js';
import { parseBody } from '@doorledger/access';

/** A request's name in its conversation: every answer to it carries it. Absent where the frame names none. */
export type FrameId = string | number | undefined;

/** What one frame says (C3). */
export type Frame =
  | { readonly kind: 'request'; readonly id: FrameId; readonly fields: Fields }
  | { readonly kind: 'cancel'; readonly id: NonNullable<FrameId> }
  | { readonly kind: 'problem'; readonly id: FrameId; readonly sentence: string };

const MAX_ID_CHARACTERS = 200;

const wrongId = `An id is a string of at most ${MAX_ID_CHARACTERS} characters, or a number up to 2^53.`;

/** A frame is read as a body is (D17, D26); beside a body's fields it may have `id`, or it is only `{cancel: id}`. */
export function readFrame(text: Uint8Array): Frame {
  const body = parseBody(text);
  if ('problem' in body) {
    const sentence = body.problem === 'not-json' ? 'The frame is not JSON.' : 'The frame names a key twice.';
    return { kind: 'problem', id: undefined, sentence };
  }
  const { id, cancel } = body.fields;
  if (id !== undefined && !isId(id)) return { kind: 'problem', id: undefined, sentence: wrongId };
  if (!('cancel' in body.fields)) return { kind: 'request', id, fields: body.fields };
  return isId(cancel) ? { kind: 'cancel', id: cancel } : { kind: 'problem', id, sentence: wrongId };
}

/** A number that JSON would echo as another one is no name. */
const isId = (value: unknown): value is NonNullable<FrameId> =>
  typeof value === 'string' ? value.length <= MAX_ID_CHARACTERS : typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
