import type { SchemaPart } from '@doorledger/postgres';
import { ContentError } from '../errors.js';

/** The table of content keys; where none is there it is made, if it may be. */
export const keyTable = (mayCreate: boolean): SchemaPart => ({
  name: 'keys',
  steps: [
    `create table doorledger.content_key (
     kind text collate "C" not null, ref text collate "C" not null, key_id text collate "C" not null unique, wrapped bytea not null,
     primary key (kind, ref))`,
  ],
  newer: (version, known) =>
    new ContentError(
      'ERR_KEYS_NEWER',
      `The content keys in the database have version ${version} of a newer release; this one knows ${known}. Use that release.`,
    ),
  ...(!mayCreate && {
    missing: new ContentError(
      'ERR_KEYS_MISSING',
      'There are no content keys in the database, and content of this log is sealed under some. Name the right database, or put a backup back.',
    ),
  }),
});
