import { list, text } from './kind.js';

/** `host-2=http://host-2:8080`; a path in front of the host's own routes may follow. */
export const PEER = /^([A-Za-z0-9._:-]{1,200})=(https?:\/\/[^\s/?#@,]+(?:\/[^\s?#,]*)?)$/;

export const peerList = list(
  text('', PEER),
  'a list of `hostId=address` such as `host-2=http://host-2:8080` (with commas between, outside the file)',
);
