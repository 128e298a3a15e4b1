export { ContentKeys, type ContentKey } from './content-keys.js';
export type { DeploymentKey } from './deployment-key.js';
export { loadDeploymentKey, type DeploymentKeySource } from './key-file.js';
export type { KeyOwner, KeyStore, WrappedKey } from './key-store.js';
export { PeerKey, type PeerChannel } from './peer-key.js';
export { References, type Person } from './references.js';
export { refuseOlderKeys } from './refuse-older-keys.js';
export { openContent, sealContent, type ContentPlace, type SealedContent } from './sealed-content.js';
export { openSqliteKeyStore } from './sqlite/sqlite-key-store.js';
