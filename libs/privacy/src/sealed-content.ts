import type { FactType } from '@doorledger/contracts';
import type { ContentKey, ContentKeys } from './content-keys.js';
import { ContentError } from './errors.js';
import { openBytes, sealBytes } from './seal.js';

/** The fields of a private fact that hold content: spread them into its data. */
export interface SealedContent {
  readonly keyId: string;
  /** Base64 of nonce ‖ ciphertext ‖ tag. */
  readonly sealed: string;
}

/** The fact the content lies in. Ciphertext copied into another fact, or another turn's, does not open. */
export interface ContentPlace {
  readonly type: FactType;
  /** The fact's subject: turnId, sessionRef or userRef. */
  readonly subject: string;
}

const boundTo = (key: { readonly keyId: string }, { type, subject }: ContentPlace) => ['content', key.keyId, type, subject];

/** Encrypts text (UTF-8) or bytes for one fact (X1). */
export function sealContent(key: ContentKey, plaintext: string | Uint8Array, place: ContentPlace): SealedContent {
  const bytes = typeof plaintext === 'string' ? Buffer.from(plaintext) : plaintext;
  return { keyId: key.keyId, sealed: sealBytes(key.key, bytes, boundTo(key, place)).toString('base64') };
}

/**
 * @throws ContentError `ERR_CONTENT_KEY_LOST` when its key is gone, `ERR_CONTENT_CHANGED` when it is not what was sealed for
 * this place; DeploymentKeyError `ERR_KEY_MISMATCH`.
 */
export async function openContent(keys: Pick<ContentKeys, 'keyById'>, content: SealedContent, place: ContentPlace): Promise<Buffer> {
  const { key } = await keys.keyById(content.keyId);
  const plaintext = openBytes(key, Buffer.from(content.sealed, 'base64'), boundTo(content, place));
  if (!plaintext)
    throw new ContentError(
      'ERR_CONTENT_CHANGED',
      'Encrypted content does not open under its key: it was changed, or moved here from another record. Check the log with: doorledger verify',
    );
  return plaintext;
}
