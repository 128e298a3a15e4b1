import type { StoredArtifact } from '@doorledger/ledger';
import { openContent, type ContentKeys } from '@doorledger/privacy';

/** What `artifact.stored` seals, as JSON. */
export interface ArtifactFile {
  readonly mimeType: string;
  readonly name?: string;
  /** Base64. */
  readonly bytes: string;
  /** Epoch ms from which on it is not served any more. */
  readonly expiresAt: number;
}

/** H2: a larger file is not served. In bytes, as the tool gave them. */
export const MAX_ARTIFACT_BYTES = 1024 * 1024;

/** @throws ContentError, DeploymentKeyError */
export async function openArtifact(
  keys: Pick<ContentKeys, 'keyById'>,
  { turnId, keyId, sealed }: StoredArtifact,
): Promise<ArtifactFile & { readonly size: number }> {
  const content = { keyId, sealed: Buffer.from(sealed).toString('base64') };
  const text = await openContent(keys, content, { type: 'artifact.stored', subject: turnId });
  const file = JSON.parse(text.toString('utf8')) as ArtifactFile;
  return { ...file, size: Buffer.byteLength(file.bytes, 'base64') };
}
