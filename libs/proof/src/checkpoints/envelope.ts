import { sign, verify, type KeyObject } from 'node:crypto';
import { keyIdOf } from './signing-key.js';

export const PAYLOAD_TYPE = 'application/vnd.doorledger.checkpoint+json';

/** A signed text as DSSE v1 has it: readable by the tools that read in-toto attestations. */
interface Envelope {
  readonly payloadType: string;
  /** The text's UTF-8 in base64. */
  readonly payload: string;
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[];
}

export function seal(text: string, key: { readonly id: string; readonly privateKey: KeyObject }): string {
  const envelope: Envelope = {
    payloadType: PAYLOAD_TYPE,
    payload: Buffer.from(text).toString('base64'),
    signatures: [{ keyid: key.id, sig: sign(null, signedBytes(text), key.privateKey).toString('base64') }],
  };
  return `${JSON.stringify(envelope)}\n`;
}

/** The text of an envelope that one of the keys has signed; undefined where none has. */
export function open(envelope: string, keys: readonly KeyObject[]): string | undefined {
  const read = readEnvelope(envelope);
  if (read?.payloadType !== PAYLOAD_TYPE) return undefined;
  const text = Buffer.from(read.payload, 'base64').toString();
  const isSigned = read.signatures.some(({ keyid, sig }) =>
    keys.some((key) => keyIdOf(key) === keyid && verify(null, signedBytes(text), key, Buffer.from(sig, 'base64'))),
  );
  return isSigned ? text : undefined;
}

/** DSSE's pre-authentication encoding: the type is signed too, so that no other document passes for this one. */
function signedBytes(text: string): Buffer {
  return Buffer.from(`DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${Buffer.byteLength(text)} ${text}`);
}

function readEnvelope(text: string): Envelope | undefined {
  try {
    const read = JSON.parse(text) as Partial<Envelope> | null;
    const isWhole =
      typeof read?.payload === 'string' &&
      Array.isArray(read.signatures) &&
      read.signatures.every(
        (of: Partial<Envelope['signatures'][number]> | null) => typeof of?.keyid === 'string' && typeof of.sig === 'string',
      );
    return isWhole ? (read as Envelope) : undefined;
  } catch {
    return undefined;
  }
}
