import { randomUUID, timingSafeEqual } from 'node:crypto';
import type { References } from '@doorledger/privacy';

const SHAPE = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.([0-9a-f]{16})$/;

/** O1: a session id that nobody can guess or squat: `<uuid>.<16 hex of HMAC>`. */
export function mintSessionId(references: Pick<References, 'mintedMac'>): string {
  const uuid = randomUUID();
  return `${uuid}.${references.mintedMac(uuid)}`;
}

/** Whether this deployment minted the id. One whose MAC fails is an id like any other. */
export function isMintedId(id: string, references: Pick<References, 'mintedMac'>): boolean {
  const [, uuid, mac] = SHAPE.exec(id) ?? [];
  return uuid !== undefined && timingSafeEqual(Buffer.from(references.mintedMac(uuid)), Buffer.from(mac!));
}
