export { ConfigError } from './config-error.js';
export * from './doorledger-config.js';
export { issuersOf } from './issuers-of.js';
export { loadConfig, resolveConfig, settings, type ConfigSources } from './load-config.js';
export { nearest } from './nearest.js';
export { withSecrets } from './tool-secrets.js';
export type { ToolServerConfig } from './tool-servers.js';
export { referencePage } from './reference-page.js';
export type { SettingInfo } from './setting.js';
